//! Floods in Python: loops that take all of the machine there is and give nothing.
//!
//! A loop counts where it never ends, or goes round many thousand times, and does nothing in it but start processes and
//! threads, or grow data. A loop that waits, reads, or leaves by itself is a server's or a worker's.

use rustpython_ruff_python_ast as ast;
use rustpython_ruff_text_size::Ranged;

use ast::visitor::{self, Visitor};
use ast::{Expr, Number, Stmt};

use super::super::taint::TaintedArguments;
use super::PythonReader;

/// The rounds from which a loop is long.
const MANY: u64 = 10_000;

impl<'a> PythonReader<'a> {
    /// Keeps a loop that takes all there is.
    pub(super) fn note_flood(&mut self, statement: &'a Stmt) {
        let (body, endless) = match statement {
            Stmt::While(again) if is_true(&again.test) => (&again.body, true),
            Stmt::For(each) if rounds(&each.iter).is_some_and(|rounds| rounds >= MANY) => (&each.body, false),
            _ => return,
        };
        let mut seen = Body { endless, ..Body::default() };
        seen.visit_body(body);
        if seen.takes && !seen.ends && !seen.waits && (!seen.calls || seen.forks) {
            self.keep("flood".to_owned(), Vec::new(), TaintedArguments::default(), statement.range());
        }
    }
}

impl<'a> PythonReader<'a> {
    /// Keeps a function that starts itself anew in another thread or process each time it runs.
    pub(super) fn note_spread(&mut self, function: &'a ast::StmtFunctionDef) {
        let starts = |call: &ast::ExprCall| {
            let name = match &*call.func {
                Expr::Name(name) => name.id.as_str(),
                Expr::Attribute(member) => member.attr.as_str(),
                _ => "",
            };
            let target = call
                .arguments
                .keywords
                .iter()
                .find(|keyword| keyword.arg.as_ref().is_some_and(|name| name == "target"));
            let same =
                target.is_some_and(|target| matches!(&target.value, Expr::Name(name) if name.id == function.name.id));
            matches!(name, "Thread" | "Process") && same
        };
        let spreads = unconditional(&function.body).any(|statement| match statement {
            Stmt::Assign(assign) => matches!(&*assign.value, Expr::Call(call) if starts(call)),
            Stmt::Expr(alone) => match &*alone.value {
                Expr::Call(call) => match &*call.func {
                    Expr::Attribute(member) => matches!(&*member.value, Expr::Call(call) if starts(call)),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        });
        if spreads {
            self.keep("flood".to_owned(), Vec::new(), TaintedArguments::default(), function.range());
        }
    }
}

/// The statements of a body that run whenever it does.
fn unconditional(body: &[Stmt]) -> impl Iterator<Item = &Stmt> {
    body.iter().flat_map(|statement| match statement {
        Stmt::Try(tried) => tried.body.as_slice(),
        other => std::slice::from_ref(other),
    })
}

/// What stands in the body of a loop.
#[derive(Default)]
struct Body {
    endless: bool,
    takes: bool,
    ends: bool,
    waits: bool,
    /// Something is called that may wait, or leave.
    calls: bool,
    /// The process is doubled: what else is called is called by all.
    forks: bool,
    /// The loops inside, whose `break` leaves them alone.
    inner: usize,
    /// The handlers of errors around: who leaves by one has taken all there was.
    failed: usize,
}

impl<'a> Visitor<'a> for Body {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            // Only an endless loop is left by these; a long one is over in time.
            Stmt::Return(_) | Stmt::Raise(_) => self.ends |= self.endless && self.failed == 0,
            Stmt::Break(_) => self.ends |= self.endless && self.inner == 0 && self.failed == 0,
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::While(_) | Stmt::For(_) => {
                self.inner += 1;
                visitor::walk_stmt(self, statement);
                self.inner -= 1;
            }
            Stmt::Try(tried) => {
                self.visit_body(&tried.body);
                self.failed += 1;
                for ast::ExceptHandler::ExceptHandler(handler) in &tried.handlers {
                    self.visit_body(&handler.body);
                }
                self.failed -= 1;
                self.visit_body(&tried.orelse);
                self.visit_body(&tried.finalbody);
            }
            _ => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_) => self.waits = true,
            Expr::Call(call) => {
                let name = match &*call.func {
                    Expr::Name(name) => name.id.as_str(),
                    Expr::Attribute(member) => member.attr.as_str(),
                    _ => "",
                };
                match name {
                    "fork" => (self.takes, self.forks) = (true, true),
                    "Popen" | "Thread" | "Process" | "socket" | "pipe" => self.takes = true,
                    "append" | "extend" | "write" => self.takes |= self.endless || holds_much(call),
                    // These grow nothing, and wait for nobody.
                    "start" | "range" | "len" | "str" | "int" | "encode" | "open" | "urandom" | "sha256" | "sha512"
                    | "md5" | "hexdigest" | "pow" | "_exit" | "getpid" | "randint" | "random" | "bytearray"
                    | "list" | "join" | "format" => {}
                    "wait" | "waitpid" | "sleep" | "accept" | "recv" | "read" | "readline" | "input" | "get"
                    | "communicate" => {
                        self.waits = true;
                    }
                    // Whatever else is called may wait, or leave.
                    _ => self.calls = true,
                }
                visitor::walk_expr(self, expression);
            }
            _ => visitor::walk_expr(self, expression),
        }
    }
}

/// True where what a call is given is made to be large: `"A" * 1000000`.
fn holds_much(call: &ast::ExprCall) -> bool {
    struct Large(bool);
    impl<'a> Visitor<'a> for Large {
        fn visit_expr(&mut self, expression: &'a Expr) {
            if let Expr::BinOp(product) = expression {
                let factors = product.op == ast::Operator::Mult;
                self.0 |= factors && product_of(expression).is_some_and(|size| size >= 1_000);
            }
            visitor::walk_expr(self, expression);
        }
    }
    let mut large = Large(false);
    call.arguments.args.iter().for_each(|argument| large.visit_expr(argument));
    large.0
}

/// The number that a product of literals is, text counting as one.
fn product_of(expression: &Expr) -> Option<u64> {
    match expression {
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(int) => int.as_u64(),
            _ => None,
        },
        Expr::StringLiteral(_) | Expr::BytesLiteral(_) | Expr::List(_) => Some(1),
        Expr::BinOp(product) if product.op == ast::Operator::Mult => {
            product_of(&product.left)?.checked_mul(product_of(&product.right)?)
        }
        Expr::BinOp(power) if power.op == ast::Operator::Pow => {
            product_of(&power.left)?.checked_pow(u32::try_from(product_of(&power.right)?).ok()?)
        }
        _ => None,
    }
}

fn is_true(test: &Expr) -> bool {
    match test {
        Expr::BooleanLiteral(value) => value.value,
        Expr::NumberLiteral(number) => matches!(&number.value, Number::Int(int) if int.as_u8() == Some(1)),
        _ => false,
    }
}

/// The rounds of `range(n)`, where they are written out.
fn rounds(iterated: &Expr) -> Option<u64> {
    let Expr::Call(call) = iterated else { return None };
    let Expr::Name(name) = &*call.func else { return None };
    (name.id.as_str() == "range").then_some(())?;
    product_of(call.arguments.args.last()?)
}
