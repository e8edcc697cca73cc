//! Models in folders, as the program `mf` writes and reads them.
//!
//! ```
//! use raddle_mf::files::Saved;
//! use raddle_mf::{Mf, Problem, Seen};
//!
//! let source = "synth:ratings:users=90,items=50,n=2000";
//! let data = raddle_datasets::read_any_ratings(source, &Default::default())?;
//! let seen = Seen::new(&data.triples, 90);
//! let mf = Mf::params().rank(4).epochs(5);
//! let fit = mf.fit(&Problem::new(90, 50, data.triples)?)?;
//! # let parent = tempfile::tempdir()?;
//! # let run = parent.path().join("run");
//! // With what users have rated, which `mf recommend run` leaves out.
//! fit.save(&run, (data.users, data.items), Some(&seen))?;
//!
//! let saved = Saved::open(&run)?;
//! assert_eq!(saved.model, fit.model);
//! let user = saved.about.users.index().row("7").ok_or("no such user")?;
//! assert_eq!(saved.model.predict(user, 3), fit.model.predict(7, 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod about;
mod id_list;
mod saved;
mod seen;

pub use about::About;
pub use id_list::integer_ids;
pub use saved::Saved;
pub use seen::{SeenFile, SeenWriter};
