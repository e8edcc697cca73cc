//! [`JoinedIds`]: the ids of a model, followed by those of other data.

use raddle_datasets::Ids;
use raddle_mf::files::integer_ids;

/// The ids of a model, followed by the data's other ids, in the order of the data.
#[derive(Debug)]
pub(crate) struct JoinedIds {
    pub(crate) ids: Ids,
    /// For each row of the data, the row that its id has here.
    pub(crate) rows: Vec<u32>,
    /// Number of rows of the model that the data do not name.
    pub(crate) kept: usize,
    /// Number of rows of the data that the model does not have.
    pub(crate) new: usize,
}

impl JoinedIds {
    pub(crate) fn new(model: &Ids, data: &Ids) -> Self {
        let before = model.len();
        let known = model.index().rows_of(data);
        let new: Vec<usize> = (0..data.len()).filter(|&row| known[row].is_none()).collect();
        let kept = before - known.iter().flatten().count();
        let mut next = before as u32;
        let place = |row: Option<u32>| {
            row.unwrap_or_else(|| {
                next = next.saturating_add(1);
                next - 1
            })
        };
        let rows = known.into_iter().map(place).collect();
        let ids = if new.is_empty() { model.clone() } else { behind(model, data, &new) };
        Self { ids, rows, kept, new: new.len() }
    }
}

/// Returns the ids of a model, followed by the ids of these rows of the data.
fn behind(model: &Ids, data: &Ids, rows: &[usize]) -> Ids {
    let numbers = |ids: &Ids| -> Option<Vec<u32>> {
        match ids {
            Ids::Dense(count) => Some((0..*count).collect()),
            Ids::Integers(ids) => Some(ids.clone()),
            Ids::Names(_) => None,
        }
    };
    match (numbers(model), numbers(data)) {
        (Some(mut ids), Some(data)) => {
            ids.extend(rows.iter().map(|&row| data[row]));
            integer_ids(ids)
        }
        _ => {
            let old = (0..model.len()).map(|row| model.name(row));
            Ids::Names(old.chain(rows.iter().map(|&row| data.name(row))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_common::testing::pairs;

    fn names(ids: &[&str]) -> Ids {
        Ids::Names(ids.iter().map(|&id| id.to_owned()).collect())
    }

    #[test]
    fn what_data_has_besides_comes_behind_what_a_model_has() {
        let joined = |model: &Ids, data: &Ids| {
            let JoinedIds { ids, rows, kept, new } = JoinedIds::new(model, data);
            assert!(pairs(ids.index().rows_of(data).iter(), &rows).all(|(found, row)| *found == Some(*row)));
            assert!(
                model.index().rows_of(&ids)[..model.len()].iter().zip(0..).all(|(at, row)| *at == Some(row))
            );
            (ids, rows, kept, new)
        };
        assert_eq!(joined(&Ids::Dense(3), &Ids::Dense(2)), (Ids::Dense(3), vec![0, 1], 1, 0));
        assert_eq!(joined(&Ids::Dense(2), &Ids::Dense(3)), (Ids::Dense(3), vec![0, 1, 2], 0, 1));
        assert_eq!(
            joined(&Ids::Dense(2), &Ids::Integers(vec![9, 1])),
            (Ids::Integers(vec![0, 1, 9]), vec![2, 1], 1, 1)
        );
        assert_eq!(
            joined(&names(&["a", "7"]), &Ids::Integers(vec![8, 7])),
            (names(&["a", "7", "8"]), vec![2, 1], 1, 1)
        );
        assert_eq!(
            joined(&Ids::Integers(vec![5, 3]), &names(&["x", "3"])),
            (names(&["5", "3", "x"]), vec![2, 1], 1, 1)
        );
    }
}
