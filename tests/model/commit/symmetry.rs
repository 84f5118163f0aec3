//! Processes of one host differ in nothing but their row, so worlds that differ in nothing but who is
//! who are explored once.

use super::{Board, Id, LATE, Next, World, row};

/// The same world with the processes sorted by what can be told of them without their names.
pub fn representative(world: &World) -> World {
    let mut order: [Id; LATE] = std::array::from_fn(|who| who);
    order.sort_by_key(|&who| {
        let process = &world.processes[who];
        let knows = |board: Board| board & row(who) != 0;
        (
            process.next,
            knows(world.board),
            world.draft.map(knows),
            knows(world.excused),
            (process.expected.count_ones(), process.wrote.count_ones()),
            world.files.iter().filter(|f| f.owner == who).count(),
        )
    });

    let mut place: [Id; LATE + 2] = std::array::from_fn(|who| who);
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    let board = |board: Board| {
        let others = board & !(row(LATE) - 1);
        (0..LATE)
            .filter(|&old| board & row(old) != 0)
            .fold(others, |board, old| board | row(place[old]))
    };

    let mut renamed = World {
        board: board(world.board),
        files: Vec::new(),
        ..world.clone()
    };
    renamed.draft = world.draft.map(board);
    renamed.excused = board(world.excused);
    renamed.latches = world.latches.map(|latch| latch.map(|who| place[who]));
    for (old, process) in world.processes.iter().enumerate() {
        let renamed = &mut renamed.processes[place[old]];
        *renamed = *process;
        renamed.expected = board(process.expected);
        renamed.wrote = board(process.wrote);
        if let Next::UnlinkUnclaimed(owner, staged) = process.next {
            renamed.next = Next::UnlinkUnclaimed(place[owner], staged.map(board));
        }
    }
    for &file in &world.files {
        renamed.add(super::File {
            owner: place[file.owner],
            staged: file.staged.map(board),
            content: board(file.content),
            ..file
        });
    }
    renamed
}
