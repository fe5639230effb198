//! `Nodes`: statements and artifact ids, joined where they are one thing. Statements are known by place, ids by text.

use std::collections::BTreeMap;

use crate::union::Union;

/// Nodes and which of them are joined. The first nodes are the statements, by their place; artifact ids come after.
pub(super) struct Nodes {
    sets: Union,
    named: BTreeMap<String, usize>,
}

impl Nodes {
    /// So many statements, none joined.
    pub(super) fn of(statements: usize) -> Self {
        Self { sets: Union::of(statements), named: BTreeMap::new() }
    }

    /// The node of an artifact id.
    pub(super) fn node(&mut self, artifact_id: &str) -> usize {
        if let Some(node) = self.named.get(artifact_id) {
            return *node;
        }
        let node = self.sets.add();
        self.named.insert(artifact_id.to_owned(), node);
        node
    }

    /// The one node that stands for all that a node is joined with: the least of them.
    pub(super) fn root(&mut self, node: usize) -> usize {
        self.sets.root(node)
    }

    /// Joins two nodes with all that each is joined with.
    pub(super) fn join(&mut self, one: usize, other: usize) {
        self.sets.join(one, other);
    }

    /// The roots of what holds an artifact id that passes, each once and sorted.
    pub(super) fn roots_with(&mut self, passes: impl Fn(&str) -> bool) -> std::collections::BTreeSet<usize> {
        let nodes: Vec<usize> = self.named.iter().filter(|(name, _)| passes(name)).map(|(_, node)| *node).collect();
        nodes.into_iter().map(|node| self.root(node)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_nodes_have_the_least_as_their_root() {
        let mut nodes = Nodes::of(3);
        let (a, b) = (nodes.node("a"), nodes.node("b"));
        assert_eq!(a, 3);
        assert_eq!(b, 4);
        assert_eq!(nodes.node("a"), 3);
        nodes.join(2, a);
        nodes.join(b, a);
        nodes.join(b, 1);
        assert_eq!([0, 1, 2, a, b].map(|node| nodes.root(node)), [0, 1, 1, 1, 1]);
        assert_eq!(nodes.roots_with(|name| name == "b").into_iter().collect::<Vec<_>>(), [1]);
    }
}
