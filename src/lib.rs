//! capdex, the program: what tests call.
