//! A front matter with every scalar as the text that it is written as.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::tree::{Kind, Node};

/// Values that are written out before giving up: aliases can make many of few.
const MAX_VALUES: usize = 20_000;

/// Values inside each other that are written out; the tree is not deeper but for aliases.
const MAX_DEPTH: usize = 128;

/// The fields as texts, lists and fields, with aliases written out, those too many as their names;
/// `None` where an alias stands inside of what it stands for.
pub(super) fn texts(pairs: &[(Node, Node)], yaml: &str) -> Option<Map<String, Value>> {
    let mut anchors = HashMap::new();
    for (key, value) in pairs {
        collect(key, &mut anchors);
        collect(value, &mut anchors);
    }
    let in_itself = |(key, value): &(Node, Node)| {
        is_in_itself(key, &mut Vec::new()) || is_in_itself(value, &mut Vec::new())
    };
    if pairs.iter().any(in_itself) {
        return None;
    }
    let mut writer = Writer { yaml, anchors, left: MAX_VALUES };
    Some(writer.fields(pairs, 0))
}

fn collect<'a>(node: &'a Node, anchors: &mut HashMap<usize, &'a Node>) {
    if node.anchor != 0 {
        anchors.insert(node.anchor, node);
    }
    match &node.kind {
        Kind::Scalar { .. } | Kind::Alias(_) => {}
        Kind::Sequence(items) => items.iter().for_each(|item| collect(item, anchors)),
        Kind::Mapping { pairs, .. } => {
            for (key, value) in pairs {
                collect(key, anchors);
                collect(value, anchors);
            }
        }
    }
}

/// Whether an alias in this node stands for one of the nodes around it.
fn is_in_itself(node: &Node, around: &mut Vec<usize>) -> bool {
    around.push(node.anchor);
    let found = match &node.kind {
        Kind::Scalar { .. } => false,
        Kind::Alias(anchor) => around.contains(anchor),
        Kind::Sequence(items) => items.iter().any(|item| is_in_itself(item, around)),
        Kind::Mapping { pairs, .. } => pairs
            .iter()
            .any(|(key, value)| is_in_itself(key, around) || is_in_itself(value, around)),
    };
    around.pop();
    found
}

struct Writer<'a> {
    yaml: &'a str,
    anchors: HashMap<usize, &'a Node>,
    left: usize,
}

impl Writer<'_> {
    fn fields(&mut self, pairs: &[(Node, Node)], depth: usize) -> Map<String, Value> {
        let mut fields = Map::new();
        for (key, value) in pairs {
            let name = match self.value(key, depth + 1) {
                Value::String(name) => name,
                _ => self.yaml.get(key.range.clone()).unwrap_or_default().to_owned(),
            };
            let value = self.value(value, depth + 1);
            fields.insert(name, value);
        }
        fields
    }

    fn value(&mut self, node: &Node, depth: usize) -> Value {
        let source = || Value::from(self.yaml.get(node.range.clone()).unwrap_or_default());
        if self.left == 0 || depth > MAX_DEPTH {
            return source();
        }
        self.left -= 1;
        match &node.kind {
            Kind::Scalar { text, .. } => Value::from(text.as_str()),
            Kind::Alias(anchor) => match self.anchors.get(anchor).copied() {
                Some(target) => self.value(target, depth + 1),
                None => source(),
            },
            Kind::Sequence(items) => items.iter().map(|item| self.value(item, depth + 1)).collect(),
            Kind::Mapping { pairs, .. } => Value::Object(self.fields(pairs, depth)),
        }
    }
}
