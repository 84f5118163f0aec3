//! How wide each column of a table may be, pure.

/// The space between two columns.
pub const GAP: usize = 2;

/// The width that a column asks for.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// The width at which nothing is cut.
    pub natural: usize,
    /// The width at which it can be read; all are narrowed to that first.
    pub good: usize,
    /// The width below which it is useless.
    pub least: usize,
    /// The order in which columns shrink: the greatest first.
    pub rank: usize,
    /// Whether it is left out before any other column is narrowed.
    pub spare: bool,
}

/// Returns each column's width; 0 where it is left out.
///
/// As long as all fit at their least, they are narrowed, first those of the
/// greatest rank, and none below what can be read while another is wider than
/// that; if not, the one of the greatest rank is left out.
pub fn fit(wishes: &[Wish], room: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..wishes.len()).collect();
    kept.sort_by_key(|&at| std::cmp::Reverse((wishes[at].spare, wishes[at].rank)));
    let mut kept = kept.as_slice();
    let total = |kept: &[usize], of: fn(&Wish) -> usize| {
        let gaps = kept.len().saturating_sub(1) * GAP;
        kept.iter().map(|&at| of(&wishes[at])).sum::<usize>() + gaps
    };
    while let [first, rest @ ..] = kept {
        let least = |wish: &Wish| wish.natural.min(wish.least);
        let fits = match wishes[*first].spare {
            true => total(kept, |wish| wish.natural) <= room,
            false => total(kept, least) <= room,
        };
        if fits || rest.is_empty() {
            break;
        }
        kept = rest;
    }
    let mut widths = vec![0; wishes.len()];
    kept.iter().for_each(|&at| widths[at] = wishes[at].natural);
    let mut over = total(kept, |wish| wish.natural).saturating_sub(room);
    // The last one left gives what it has to.
    let least = |wish: &Wish| if kept.len() == 1 { 1 } else { wish.least };
    for floor in [
        &|wish: &Wish| wish.good.max(wish.least),
        &least as &dyn Fn(&Wish) -> usize,
    ] {
        for &at in kept {
            let given = over.min(widths[at].saturating_sub(floor(&wishes[at])));
            widths[at] -= given;
            over -= given;
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::{GAP, Wish, fit};

    const WISHES: [Wish; 4] = [
        wish(20, 16, 12, 0, false),
        wish(12, 12, 12, 1, false),
        wish(30, 20, 10, 2, false),
        wish(8, 8, 8, 3, true),
    ];

    const fn wish(natural: usize, good: usize, least: usize, rank: usize, spare: bool) -> Wish {
        Wish {
            natural,
            good,
            least,
            rank,
            spare,
        }
    }

    #[test]
    fn the_least_important_give_way_first() {
        assert_eq!(fit(&WISHES, 200), [20, 12, 30, 8]);
        assert_eq!(fit(&WISHES, 76), [20, 12, 30, 8]);
        assert_eq!(fit(&WISHES, 75), [20, 12, 30, 0]);
        assert_eq!(fit(&WISHES, 60), [20, 12, 24, 0]);
        assert_eq!(
            fit(&WISHES, 55),
            [19, 12, 20, 0],
            "to what can be read first"
        );
        assert_eq!(fit(&WISHES, 45), [16, 12, 13, 0]);
        assert_eq!(fit(&WISHES, 40), [14, 12, 10, 0]);
        assert_eq!(fit(&WISHES, 37), [20, 12, 0, 0]);
        assert_eq!(fit(&WISHES, 25), [20, 0, 0, 0]);
        assert_eq!(fit(&WISHES, 5), [5, 0, 0, 0]);
    }

    #[test]
    fn nothing_is_wider_than_the_room() {
        for room in 1..100 {
            let widths: Vec<_> = fit(&WISHES, room).into_iter().filter(|&w| w > 0).collect();
            let total = widths.iter().sum::<usize>() + (widths.len() - 1) * GAP;
            assert!(total <= room, "{widths:?} in {room}");
        }
        assert_eq!(fit(&[], 10), [0; 0]);
    }
}
