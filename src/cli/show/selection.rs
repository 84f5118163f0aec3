//! Which rows are shown, and in which order: `--filter`, `--since`, `--sort`.

use super::filter::{self, Filter};
use super::item::Item;
use crate::board::Field;
use crate::{Timestamp, duration};
use clap::{Args, ValueEnum};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::time::Duration;

/// The options that pick and sort rows.
#[derive(Debug, Default, Args)]
pub struct Selection {
    /// Only rows with this state or cell, like state=waiting; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = filter::Parser, hide_possible_values = true)]
    filter: Vec<Filter>,
    /// Only rows seen within this time, like 12h
    #[arg(long, value_name = "AGE", value_parser = duration::parse)]
    since: Option<Duration>,
    /// Order of the rows
    #[arg(long, value_name = "ORDER", default_value = "attention")]
    sort: Order,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Waiting, silent, working, idle, closed
    #[default]
    Attention,
    /// By name
    Repo,
    /// Last seen first
    Seen,
    /// By host, then by name
    Host,
}

impl Selection {
    /// Returns whether all rows were asked for, in the order of attention.
    pub fn is_default(&self) -> bool {
        self.filter.is_empty() && self.since.is_none() && self.sort == Order::Attention
    }

    /// Keeps the items that are selected, in their order.
    pub fn apply(&self, items: &mut Vec<Item>, now: Timestamp) {
        items.retain(|item| {
            filter::picks(&self.filter, item) && self.since.is_none_or(|age| within(item, age, now))
        });
        // A stable sort: equal items stay in the board's own order, by name.
        match self.sort {
            Order::Attention => items.sort_by_key(|item| (item.state, Reverse(item.since()))),
            Order::Repo => {}
            Order::Seen => items.sort_by_key(|item| Reverse(item.seen())),
            Order::Host => items.sort_by(|a, b| {
                let host = |item: &Item| item.row.get(Field::Host).map(Cow::into_owned);
                let key = |item: &Item| (host(item).is_none(), host(item));
                key(a).cmp(&key(b))
            }),
        }
    }
}

fn within(item: &Item, age: Duration, now: Timestamp) -> bool {
    item.seen()
        .is_some_and(|seen| u128::try_from(now.since(seen)).unwrap_or(0) <= age.as_millis())
}
