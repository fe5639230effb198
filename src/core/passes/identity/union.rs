//! Which nodes are one thing: a union of sets, and names for nodes.

use std::collections::BTreeMap;

/// Nodes and which of them are joined. The first nodes are the statements, by their place; coordinates come after.
#[derive(Clone, Debug)]
pub(super) struct Union {
    parent: Vec<usize>,
    named: BTreeMap<String, usize>,
}

impl Union {
    /// So many statements, none joined.
    pub(super) fn of(statements: usize) -> Self {
        Self { parent: (0..statements).collect(), named: BTreeMap::new() }
    }

    /// The node of a coordinate.
    pub(super) fn node(&mut self, coordinate: &str) -> usize {
        if let Some(node) = self.named.get(coordinate) {
            return *node;
        }
        let node = self.parent.len();
        self.parent.push(node);
        self.named.insert(coordinate.to_owned(), node);
        node
    }

    /// The one node that stands for all that a node is joined with: the least of them.
    pub(super) fn root(&mut self, node: usize) -> usize {
        let mut root = node;
        while let Some(next) = self.parent.get(root).copied().filter(|next| *next != root) {
            root = next;
        }
        let mut at = node;
        while at != root {
            let Some(slot) = self.parent.get_mut(at) else { break };
            at = std::mem::replace(slot, root);
        }
        root
    }

    /// Joins two nodes with all that each is joined with.
    pub(super) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        if let Some(slot) = self.parent.get_mut(one.max(other)) {
            *slot = one.min(other);
        }
    }

    /// The roots of what holds a coordinate that passes, each once and sorted.
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
        let mut union = Union::of(3);
        let (a, b) = (union.node("a"), union.node("b"));
        assert_eq!((a, b, union.node("a")), (3, 4, 3));
        union.join(2, a);
        union.join(b, a);
        union.join(b, 1);
        assert_eq!([0, 1, 2, a, b].map(|node| union.root(node)), [0, 1, 1, 1, 1]);
        assert_eq!(union.roots_with(|name| name == "b").into_iter().collect::<Vec<_>>(), [1]);
    }
}
