//! [`RestoreByShard`]: the verb of a program whose shards are restored by the processes that hold them; and
//! [`Restoration`]: its questions and answers, without their types.

use crate::base::panic_context::PanicContext;
use crate::base::state::{State, StateError, from_bytes, to_bytes};
use crate::program::partials::Partials;
use crate::program::{Boundary, Program};

/// A program that checks a run restored from a checkpoint against itself and its data, and restores what
/// [`save_state`](Program::save_state) and [`save_pinned`](Program::save_pinned) leave out because it follows
/// bit for bit from data and state, such as a matrix of products. Each process makes and reads its own shards
/// and blocks alone; answers carry what the others need of them. The hash of a checkpoint only says that its
/// bytes are whole: lengths, and numbers that name rows, are checked here, once, so that no other verb does.
/// A program without this verb checks nothing.
///
/// On the first worker, where rounds are aggregated, [`ask`](Self::ask) is called repeatedly: it checks the
/// pinned block, the replica and the answers to its previous question, and returns the next question to all
/// shards and blocks, until there is none. On one process questions and answers are passed without bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names the verb `restore_by_shard`, but does not implement `RestoreByShard`",
    label = "`RestoreByShard` is not implemented for `{Self}`"
)]
pub trait RestoreByShard: Program {
    /// Question to all shards and blocks.
    type Question: State;
    /// Answer of a shard or a block.
    type Answer: State;

    /// Returns the next question; `None` once everything that the run needs is checked and made again.
    ///
    /// # Errors
    /// If something does not fit: the run is then refused.
    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<Self::Question>, StateError>;

    /// Returns the answer of a shard, which [`load_state`](Program::load_state) and the questions before have
    /// filled. The replica is that of the checkpoint: rely on no more of it than an earlier
    /// [`ask`](Self::ask) has checked.
    ///
    /// # Errors
    /// If the shard does not fit: the run is then refused.
    fn answer(
        &self,
        question: &Self::Question,
        number: u32,
        shard: &mut Self::Shard,
        replica: &Self::Replica,
    ) -> Result<Self::Answer, StateError>;

    /// Returns the answer of a block, if it has one; `None` unless overridden.
    ///
    /// # Errors
    /// If the block does not fit: the run is then refused.
    fn answer_of_block(
        &self,
        question: &Self::Question,
        number: u32,
        block: &mut Self::Block,
        replica: &Self::Replica,
    ) -> Result<Option<Self::Answer>, StateError> {
        let _ = (question, number, block, replica);
        Ok(None)
    }
}

/// Parts of a run that is being restored, where rounds are aggregated, for [`RestoreByShard::ask`].
pub struct Restoring<'a, P: RestoreByShard> {
    /// The boundary.
    pub boundary: Boundary,
    /// `true` if the boundary is in the state after its conclusion, because the guard had returned to it, or
    /// the run was asked to end during the conclusion; `false` if it is in the state before, to be evaluated
    /// and concluded next.
    pub is_concluded: bool,
    /// The pinned block, as [`load_pinned`](Program::load_pinned) and the calls before have left it.
    pub pinned: &'a mut P::Pinned,
    /// The replica.
    pub replica: &'a P::Replica,
    /// The weights with which the schedule continues; none before the conclusion.
    pub weights: &'a [(u32, f64)],
    /// The question that was answered; `None` in the first call.
    pub question: Option<P::Question>,
    /// Answers of the shards to the question, one for each, in shard order; none in the first call.
    pub shards: Partials<P::Answer>,
    /// Answers of the blocks that had one, by the number of the block, ascending.
    pub blocks: Vec<(u32, P::Answer)>,
}

/// Shards and blocks of this process, `None` for those of other processes, and the replica.
pub(crate) struct PartsHere<'a, P: Program> {
    pub(crate) shards: &'a mut [Option<P::Shard>],
    pub(crate) blocks: &'a mut [Option<P::Block>],
    pub(crate) replica: &'a P::Replica,
}

/// The parts of a run that are restored on the first worker: pinned block, replica and weights.
pub(crate) struct RestHere<'a, P: Program> {
    pub(crate) boundary: Boundary,
    pub(crate) is_concluded: bool,
    pub(crate) pinned: &'a mut P::Pinned,
    pub(crate) replica: &'a P::Replica,
    pub(crate) weights: &'a [(u32, f64)],
}

/// The questions and answers of one process while a run is restored, whatever their types.
pub(crate) trait Restoration<P: Program>: Send {
    /// Asks the next question; `false` if there is none.
    fn ask(&mut self, program: &P, run: RestHere<'_, P>) -> Result<bool, StateError>;

    /// Returns the current question, as bytes.
    fn question(&self) -> Vec<u8>;

    /// Takes a question that another process asks.
    fn hear(&mut self, question: &[u8]) -> Result<(), StateError>;

    /// Notes the answers of the shards and blocks of this process; an error names one that does not fit.
    fn answer(&mut self, program: &P, here: PartsHere<'_, P>) -> Result<(), String>;

    /// Takes the answers of this process, as bytes for the process that asked.
    fn take_answers(&mut self) -> Vec<u8>;

    /// Notes answers of another process.
    fn collect(&mut self, answers: &[u8]) -> Result<(), StateError>;
}

/// Answers by the number of the shard or block.
type Answers<P> = Vec<(u32, <P as RestoreByShard>::Answer)>;

/// A [`Restoration`] of a program with its types.
struct ByShard<P: RestoreByShard> {
    question: Option<P::Question>,
    shards: Answers<P>,
    blocks: Answers<P>,
}

/// Function that starts a restoration.
pub(crate) type BeginRestoration<P> = fn() -> Box<dyn Restoration<P>>;

/// Returns a restoration in which no question has been asked.
pub(crate) fn by_shard<P: RestoreByShard>() -> Box<dyn Restoration<P>> {
    Box::new(ByShard::<P> { question: None, shards: Vec::new(), blocks: Vec::new() })
}

impl<P: RestoreByShard> Restoration<P> for ByShard<P> {
    fn ask(&mut self, program: &P, run: RestHere<'_, P>) -> Result<bool, StateError> {
        let RestHere { boundary, is_concluded, pinned, replica, weights } = run;
        let (mut shards, mut blocks) = (std::mem::take(&mut self.shards), std::mem::take(&mut self.blocks));
        shards.sort_by_key(|&(number, _)| number);
        blocks.sort_by_key(|&(number, _)| number);
        let due = if self.question.is_some() { 0..boundary.shards } else { 0..0 };
        if !due.eq(shards.iter().map(|&(number, _)| number)) || !blocks.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(StateError::new("an answer of each shard"));
        }
        PanicContext::verb("ask").enter();
        let (question, shards) = (self.question.take(), Partials::from(shards));
        self.question = program.ask(Restoring {
            boundary,
            is_concluded,
            pinned,
            replica,
            weights,
            question,
            shards,
            blocks,
        })?;
        Ok(self.question.is_some())
    }

    fn question(&self) -> Vec<u8> {
        self.question.as_ref().map_or_else(Vec::new, to_bytes)
    }

    fn hear(&mut self, question: &[u8]) -> Result<(), StateError> {
        self.question = Some(from_bytes(question)?);
        Ok(())
    }

    fn answer(&mut self, program: &P, here: PartsHere<'_, P>) -> Result<(), String> {
        let Some(question) = &self.question else { return Ok(()) };
        let PartsHere { shards, blocks, replica } = here;
        for (number, shard) in (0..).zip(shards) {
            let Some(shard) = shard else { continue };
            PanicContext::verb("answer").of("shard", number).enter();
            let answer = program.answer(question, number, shard, replica);
            self.shards.push((number, answer.map_err(|why| format!("shard {number}: {why}"))?));
        }
        for (number, block) in (0..).zip(blocks) {
            let Some(block) = block else { continue };
            PanicContext::verb("answer_of_block").of("block", number).enter();
            let answer = program.answer_of_block(question, number, block, replica);
            let answer = answer.map_err(|why| format!("block {number}: {why}"))?;
            self.blocks.extend(answer.map(|answer| (number, answer)));
        }
        Ok(())
    }

    fn take_answers(&mut self) -> Vec<u8> {
        self.question = None;
        to_bytes(&(std::mem::take(&mut self.shards), std::mem::take(&mut self.blocks)))
    }

    fn collect(&mut self, answers: &[u8]) -> Result<(), StateError> {
        let (shards, blocks): (Answers<P>, Answers<P>) = from_bytes(answers)?;
        self.shards.extend(shards);
        self.blocks.extend(blocks);
        Ok(())
    }
}
