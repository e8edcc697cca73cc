//! Random schedules keep every job within its caps.

use proptest::prelude::*;
use raddle::random::Stream;
use raddle_pool::policy::JobId;
use raddle_pool::policy::ones::operators::{Cap, Caps, counts};
use raddle_pool_sim::policy::ones::random;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_random_schedule_exceeds_no_cap(
        slots in 1..24_usize,
        bounds in proptest::collection::vec((1..4_u32, 0..6_u32), 5),
        seed in any::<u64>(),
    ) {
        let cap = |(least, more): (u32, u32)| Cap { least, size: least + more, training: least + more };
        let caps: Caps = (0..).map(JobId).zip(bounds.into_iter().map(cap)).collect();
        let drawn = random(slots, &caps, &mut Stream::new(&[seed]));
        prop_assert_eq!(drawn.len(), slots);
        for (id, count) in counts(&drawn) {
            prop_assert!((caps[&id].least..=caps[&id].size).contains(&count), "{drawn:?}");
        }
    }
}
