//! Mounts: servers that another server offers under a namespace, as FastMCP's `mount` and `import_server` do.
//!
//! A client sees `namespace_tool`. Source: the documentation of FastMCP 2 and 3 on the composition of servers, as of 2026-11.

use std::collections::BTreeMap;

use crate::program::Program;
use crate::program::index::binding_scope;
use crate::program::outline::{Argument, MODULE_SCOPE, ModuleLanguage, Node, NodeId, Origin};

/// A name of a module that a server is bound to.
pub(in crate::program) type ServerName = (usize, String);

/// Each server that another one mounts: by whom, where that is known, and under which namespace.
pub(in crate::program) type Mounts = BTreeMap<ServerName, (Option<ServerName>, String)>;

/// The most servers above each other.
const MAX_ABOVE: usize = 6;

/// The most modules through which a name is handed on.
const MAX_HANDED: usize = 8;

impl Program<'_> {
    /// The servers of the package that are mounted.
    fn find_mounts(&self) -> Mounts {
        let mut mounts = Mounts::new();
        let named = ["mount", "import_server"].into_iter().filter_map(|method| self.index.calls.get(method));
        for &(module, call) in named.flatten() {
            let Some(outline) = self.outlines.get(module) else { continue };
            if outline.language != ModuleLanguage::Python {
                continue;
            }
            let Node::Call { callee, arguments, .. } = outline.node(call) else { continue };
            let Node::Member(above, _) = outline.node(*callee) else { continue };
            let Some(namespace) = self.namespace_in(module, arguments) else { continue };
            // Either of the two may come first: `mount("x", server)` is the older order.
            let is_server = |argument: &&Argument| {
                argument.name.as_deref().is_none_or(|name| name == "server")
                    && matches!(outline.node(argument.value), Node::Name(..) | Node::Member(..))
            };
            let server =
                arguments.iter().filter(is_server).find_map(|argument| self.server_name(module, argument.value));
            if let Some(server) = server {
                let above = self.server_name(module, *above).filter(|above| *above != server);
                mounts.entry(server).or_insert((above, namespace));
            }
        }
        mounts
    }

    /// The namespace among the arguments of a mount; none where there is none, or it is put together at run time.
    fn namespace_in(&self, module: usize, arguments: &[Argument]) -> Option<String> {
        let text = |argument: &Argument| match self.outlines.get(module)?.node(argument.value) {
            Node::Text(text) if !text.is_empty() => Some(text.to_string()),
            _ => None,
        };
        let is_named = |argument: &&Argument| matches!(argument.name.as_deref(), Some("namespace" | "prefix"));
        match arguments.iter().find(is_named) {
            Some(named) => text(named),
            None => arguments.iter().take(2).filter(|argument| argument.name.is_none()).find_map(text),
        }
    }

    /// What stands before the names of the tools that a method of a server registers: `server.tool`, `server.add_tool`.
    pub(super) fn namespace_of(&self, module: usize, method: NodeId) -> Option<String> {
        let mounts = self.mounts.get_or_init(|| self.find_mounts());
        if mounts.is_empty() {
            return None;
        }
        let Node::Member(server, _) = self.outlines.get(module)?.node(method) else { return None };
        let mut next = self.server_name(module, *server);
        let mut namespaces = Vec::new();
        while let Some((above, namespace)) = next.and_then(|server| mounts.get(&server))
            && namespaces.len() < MAX_ABOVE
        {
            namespaces.push(namespace.as_str());
            next = above.clone();
        }
        namespaces.reverse();
        (!namespaces.is_empty()).then(|| namespaces.join("_"))
    }

    /// The name of a module that an expression means, through the imports between.
    fn server_name(&self, module: usize, id: NodeId) -> Option<ServerName> {
        let outline = self.outlines.get(module)?;
        match outline.node(id) {
            Node::Name(name, scope) => {
                let bound = binding_scope(outline, *scope, name)?;
                // A name of a function is no one server: it is another for each call.
                if bound == MODULE_SCOPE { self.handed_name(module, name) } else { None }
            }
            // `tools.server` of an imported module.
            Node::Member(object, name) => {
                let Node::Name(package, _) = outline.node(*object) else { return None };
                let Origin::Import(import) = &outline.scopes.first()?.names.get(package)?.first()?.origin else {
                    return None;
                };
                let module = match &import.name {
                    Some(inner) => self.imported_submodule(module, &import.module, inner),
                    None => self.imported(module, &import.module).module(),
                };
                self.handed_name(module?, name)
            }
            _ => None,
        }
    }

    /// The module that binds a name itself, from one that may import it.
    fn handed_name(&self, module: usize, name: &str) -> Option<ServerName> {
        let (mut module, mut name) = (module, name.to_owned());
        for _ in 0..MAX_HANDED {
            let outline = self.outlines.get(module)?;
            let binding = outline.scopes.first()?.names.get(&name)?.first()?;
            let Origin::Import(import) = &binding.origin else { return Some((module, name)) };
            (module, name) = (self.imported(module, &import.module).module()?, import.name.clone()?);
        }
        None
    }
}
