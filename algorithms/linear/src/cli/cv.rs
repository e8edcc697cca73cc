//! `linear cv`: chooses C by cross-validation.

use raddle::Ending;
use raddle::state::{from_bytes, to_bytes};
use raddle_cli::{
    CutShort, Error, ExitStatus, Free, PartEnd, PartRun, Picture, Session, Timed, combine, ended_as, number,
};
use raddle_linear::{Curve, FoldScores, Folds};
use raddle_tabular::cli::{Chosen, curves, tell_of_classes};

use super::cv_options::Options;
use super::outcome::{Found, hinted, write};
use super::problem::{FREE, started};
use super::refused::Named;

/// Fits the folds, then all rows at the chosen C; writes and reports the result.
pub(crate) fn cv(options: &Options) -> Result<ExitStatus, Error> {
    let train = &options.train;
    let rule = options.rule()?;
    let cv = options.cross_validation(options.problem.linear(train, false)?)?;
    let mut session = Session::begin("linear", env!("CARGO_PKG_VERSION"), train)?;
    session.refuse_distributed("this command")?;
    session.set_metric_name("gap");
    let ready = options.problem.read(&mut session, train, options.beside())?;
    let cv = Options::of_rows(cv, &ready);
    let identity = options.problem.identity(options, Free { neutral: &[], ..FREE }, &ready.data, train)?;
    let (mut data, features, named, table) = (ready.data, ready.features, ready.named, ready.table);
    let start = || cv.start(table.x, table.y);
    let mut folds = session.timed(Timed::Prepare, start).map_err(|why| named.refuse(why))?;
    let problem = folds.problem();
    tell_of_classes(&session, problem.machines(), problem.scorer_bytes(), &mut data);
    // A bad initial model is refused before anything is fitted.
    let of_all = |folds: &Folds, c: f64| started(train, folds.all(c), folds.problem(), (&features, &named));
    of_all(&folds, folds.costs().first().copied().unwrap_or(1.0))?;

    let names: Vec<String> =
        (1..=folds.count()).map(|number| format!("fold {number} of {}", folds.count())).collect();
    let mut parts = session.parts(&identity, &names, |part| fit_fold(part, &folds, (&identity, &named)))?;
    if parts.cut.is_some() {
        let title = "Cross-validation of a linear classifier";
        let words = CutShort { title, parts: "folds", names: &names, choice: "C" };
        return words.finish(session, options, data, parts);
    }
    for bytes in parts.done.iter().flatten() {
        let scores: FoldScores = from_bytes(bytes).map_err(Error::failed)?;
        folds.add(scores).map_err(|why| named.refuse(why))?;
    }
    let found = folds.curve().map_err(|why| named.refuse(why))?;
    let (curves, worst_gap) = (vec![found], folds.worst_gap());
    let chosen = Chosen { curves, best: 0, rule, folds: folds.count(), worst_gap };
    chosen.write(&mut session)?;

    let c = chosen.setting();
    session.screen().stage(&format!("all rows at C {}", number(c)));
    let linear = of_all(&folds, c)?;
    let engine =
        session.timed(Timed::Fit, || linear.engine(folds.problem())).map_err(|why| named.refuse(why))?;
    let outcome = session.run_last(engine.identity(format!("{identity} all rows")))?;
    let fit = linear.finish(folds.problem(), outcome).map_err(|why| named.refuse(why))?;
    let about = write(&mut session, &fit, &features)?;

    let mut run = parts.run.unwrap_or_else(|| fit.report.clone());
    combine(&mut run, &fit.report);
    parts.trace.extend(fit.trace.iter().cloned());
    let report = session.report(options, data, fit.digest(), &ended_as(run, &fit.report), &parts.trace)?;
    let found = Found { fit: &fit, about: &about, features: &features };
    let report = chosen.reported(found.reported(report));
    let (text, mut summary) = found.describe(&report.data.path, &session.place_of("coef.tsv"));
    summary.pictures = picture(&chosen.curves).into_iter().chain(summary.pictures).collect();
    let (above, listing) = chosen.describe(train.folder());
    let (report, hint) = hinted(report, folds.problem(), &about);
    let text = format!("{above}\n\n{text}\n{}{hint}", report.conclusion());
    session.finish(report, &summary.table(listing), &text)
}

/// Returns a picture of the mean with its standard error over C; `None` for a single C.
fn picture(of: &[Curve]) -> Option<Picture> {
    let (picture, notes) = curves(of, 0);
    (of[0].points.len() > 1).then(|| picture.note(notes.join("; ")))
}

/// Fits one fold at each C, and measures the fits.
fn fit_fold(
    part: &mut PartRun<'_>,
    folds: &Folds,
    (identity, named): (&str, &Named),
) -> Result<PartEnd, Error> {
    let number = part.number();
    let refuse = |why| named.refuse(why);
    let fold = folds.fold(number).map_err(refuse)?;
    let path = folds.path();
    let engine = path.engine(&fold.problem).map_err(refuse)?;
    let outcome = part.run(engine.identity(format!("{identity} fold {number}")))?;
    // Solvers that cannot come any closer end their run; their gaps are reported.
    if matches!(outcome.report.ending, Ending::Limit(_) | Ending::Interrupted) {
        return Ok(PartEnd::Cut);
    }
    let fits = path.finish(&fold.problem, outcome).map_err(refuse)?.fits;
    Ok(PartEnd::Done(to_bytes(&folds.score(&fold, &fits))))
}
