//! Folding: the value of text that is written in pieces, backwards or as numbers, to hide it from a search.
//!
//! Follows operators and calls on literals alone; what depends on a name has no value here.

use rustpython_ruff_python_ast as ast;

use ast::Expr;

/// The depth to which an expression is followed.
const MAX_DEPTH: usize = 24;

/// The text of an expression that is made of literals alone.
pub(super) fn folded(expression: &Expr, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    match expression {
        Expr::StringLiteral(text) => Some(text.value.to_str().to_owned()),
        Expr::BinOp(sum) if sum.op == ast::Operator::Add => {
            Some(folded(&sum.left, depth + 1)? + &folded(&sum.right, depth + 1)?)
        }
        Expr::Subscript(subscript) if reverses(&subscript.slice) => {
            Some(folded(&subscript.value, depth + 1)?.chars().rev().collect())
        }
        Expr::Call(call) => folded_call(call, depth),
        _ => None,
    }
}

fn folded_call(call: &ast::ExprCall, depth: usize) -> Option<String> {
    match (&*call.func, call.arguments.args.first()) {
        // `chr(101) + chr(118)` spells a name by the numbers of its letters.
        (Expr::Name(name), Some(Expr::NumberLiteral(number))) if name.id.as_str() == "chr" => match &number.value {
            ast::Number::Int(int) => char::from_u32(int.as_u32()?).map(String::from),
            _ => None,
        },
        (Expr::Attribute(member), Some(Expr::List(list))) if member.attr.as_str() == "join" => {
            let between = folded(&member.value, depth + 1)?;
            let parts: Option<Vec<String>> = list.elts.iter().map(|part| folded(part, depth + 1)).collect();
            parts.map(|parts| parts.join(&between))
        }
        _ => None,
    }
}

/// True where a slice is `[::-1]`.
pub(super) fn reverses(slice: &Expr) -> bool {
    let Expr::Slice(slice) = slice else { return false };
    let Some(step) = slice.step.as_deref() else { return false };
    let backwards = match step {
        Expr::UnaryOp(minus) => {
            let one = matches!(&*minus.operand, Expr::NumberLiteral(number) if matches!(&number.value, ast::Number::Int(int) if int.as_u8() == Some(1)));
            minus.op == ast::UnaryOp::USub && one
        }
        _ => false,
    };
    backwards && slice.lower.is_none() && slice.upper.is_none()
}

/// True where an expression is a list of four numbers or more, which is text that is written so as not to be read.
pub(super) fn is_numbers(expression: &Expr) -> bool {
    let Expr::List(list) = expression else { return false };
    // Shorter lists of numbers are versions and sizes more often than text.
    list.elts.len() >= 4 && list.elts.iter().all(|part| matches!(part, Expr::NumberLiteral(_)))
}
