//! Training of networks on the CPU.
//!
//! | module | contents |
//! |---|---|
//! | `plan` | the hyperparameters |
//! | `schedule` | the order of shards and positions |
//! | `model` | the parameters of a network under training, and the gradient of a slice of a batch |
//! | `adam` | one step of AdamW |
//! | `checkpoint` | files to resume from |
//! | `validation` | losses by kinds of positions |
//! | `rounding` | the effect of rounding on values |
//!
//! The sigmoid of a network's output is the expected share of points for the side to move.
//!
//! A batch is cut into a fixed number of slices with a gradient each, which are added in
//! order: equal plans on equal data give equal networks on any number of threads.

mod adam;
mod checkpoint;
mod model;
mod plan;
mod rounding;
mod schedule;
mod validation;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};

use enbu_eval::nnue::{Network, Simd, own};
use enbu_files::FileKind;
use rayon::prelude::*;

use crate::architecture::Batch;
use crate::dataset::{Dataset, Positions};
use crate::entry::Entry;
use crate::error::{CheckpointError, FileError};
use crate::loss::Target;
use crate::quantise::QuantiseError;
use adam::Step;
use checkpoint::{Saved, State};
use model::{Gradient, Model, Numbers};
use schedule::{Place, Schedule};

pub use checkpoint::Point;
pub use plan::{Plan, PlanError};
pub use rounding::{Difference, RoundingError};
pub use validation::Validation;

/// Validation positions of each point of the curve.
const CURVE_POSITIONS: usize = 65_536;

const CURVE_POINTS: u64 = 100;

/// A training run.
pub struct Trainer<'a> {
    plan: Plan,
    data: &'a Dataset,
    model: Model,
    state: State,
    /// Gradients of the slices; not part of a checkpoint.
    gradients: Vec<Gradient>,
    schedule: Schedule,
    current: Option<Pass>,
}

/// A pass over the positions of a shard.
struct Pass {
    place: Place,
    entries: Vec<Entry>,
    /// Indices of the entries in the order of this pass.
    order: Vec<u32>,
}

/// A shard that is being read, and its number.
type Reader<'scope> = (usize, ScopedJoinHandle<'scope, io::Result<Vec<Entry>>>);

impl<'a> Trainer<'a> {
    /// A training at its start.
    ///
    /// # Errors
    /// [`PlanError`] when a number is out of range or data are missing.
    pub fn new(plan: Plan, data: &'a Dataset) -> Result<Self, PlanError> {
        plan.check(data.shard_sizes(), data.validation_len())?;
        let model = Model::random(plan.shape.clone(), plan.scale, plan.seed);
        let zeros = || vec![0.0; model.values.len()];
        let state = State { batch: 0, running: (0.0, 0), curve: Vec::new(), moments: [zeros(), zeros()] };
        let gradients = (0..plan.slices).map(|_| Gradient::new(&plan.shape)).collect();
        let size = plan.batch.min(data.shard_sizes().min().unwrap_or(0));
        let schedule = Schedule::new(plan.seed, plan.epochs, size, data.shard_sizes());
        Ok(Self { plan, data, model, state, gradients, schedule, current: None })
    }

    /// Starts from the parameters of another training's checkpoint or of one of Enbu's own
    /// networks, in which those of virtual inputs are 0.
    ///
    /// # Errors
    /// [`FileError`] when it cannot be read or has another shape.
    pub fn start_from(&mut self, path: &Path) -> Result<(), FileError> {
        let is_network = |head: &[u8]| head.starts_with(&own::MAGIC);
        let bytes = enbu_files::read_if(path, FileKind::Network, is_network).map_err(FileError::of(path))?;
        let (values, found) = if is_network(&bytes) {
            let values = self.plan.shape.architecture().restore(&bytes).map_err(FileError::of(path))?;
            let found = Network::from_bytes(&bytes, Simd::SCALAR).map_err(FileError::of(path))?.shape().to_owned();
            (values, found)
        } else {
            let (saved, shape) = checkpoint::read(path)?;
            ((shape == self.plan.shape).then_some(saved.values), shape.to_string())
        };
        let Some(mut values) = values else {
            let other = CheckpointError::Shape { found, wanted: self.plan.shape.to_string() };
            return Err(FileError::of(path)(other));
        };
        values.resize(self.model.values.len(), 0.0);
        self.model.values = values;
        self.model.evaluate_with(self.numbers());
        Ok(())
    }

    /// Resumes from a checkpoint of the same plan and data.
    ///
    /// # Errors
    /// [`FileError`] when it cannot be read or belongs to another training.
    pub fn resume(&mut self, path: &Path) -> Result<(), FileError> {
        let (saved, _) = checkpoint::read(path)?;
        let wanted = self.description();
        if saved.description != wanted {
            return Err(FileError::of(path)(CheckpointError::Plan { found: saved.description, wanted }));
        }
        self.model.values = saved.values;
        self.state = saved.state;
        self.model.evaluate_with(self.numbers());
        Ok(())
    }

    /// Saves a checkpoint.
    ///
    /// # Errors
    /// [`FileError`] when the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let code = self.plan.shape.architecture().code();
        let (values, state) = (self.model.values.clone(), self.state.clone());
        checkpoint::write(path, &Saved { description: self.description(), code, values, state })
    }

    /// The plan and the mark of the data.
    fn description(&self) -> String {
        format!("{} data={:016x}", self.plan, self.data.mark())
    }

    /// The number of batches.
    pub fn batches(&self) -> u64 {
        self.schedule.len()
    }

    /// Batches trained so far.
    pub fn batch(&self) -> u64 {
        self.state.batch
    }

    /// Positions in each batch.
    pub fn batch_size(&self) -> u64 {
        self.schedule.size as u64
    }

    /// The loss curve so far.
    pub fn curve(&self) -> &[Point] {
        &self.state.curve
    }

    /// The completed share of the training.
    fn done(&self) -> f64 {
        self.state.batch as f64 / self.batches().max(1) as f64
    }

    /// The current precision: in the last part of a training the forward pass uses rounded
    /// parameters, so that the network adapts to rounding.
    fn numbers(&self) -> Numbers {
        if self.done() >= 1.0 - self.plan.rounded_share { Numbers::Rounded } else { Numbers::Trained }
    }

    /// Trains to the end in the current rayon pool, while a thread of its own reads the next
    /// shard. Calls `report` after each batch, with the point of the curve that it ended, if any;
    /// stops if it breaks.
    ///
    /// # Errors
    /// When a shard cannot be read.
    pub fn run(&mut self, mut report: impl FnMut(&Self, Option<Point>) -> ControlFlow<()>) -> io::Result<()> {
        let (data, stop) = (self.data, &AtomicBool::new(false));
        thread::scope(|scope| {
            let mut reader = None;
            let mut train = || {
                while let Some(place) = self.schedule.place(self.state.batch) {
                    if self.current.as_ref().is_none_or(|pass| pass.place.pass != place.pass) {
                        self.begin(place, reader.take(), stop)?;
                        // The shard of the next pass is read meanwhile, unless it is the same.
                        let next = self.schedule.place(place.end).filter(|next| next.shard != place.shard);
                        reader = next
                            .map(|next| (next.shard, scope.spawn(move || data.read(&data.shards[next.shard], stop))));
                    }
                    let point = self.train(place);
                    if report(self, point).is_break() {
                        break;
                    }
                }
                Ok(())
            };
            let result = train();
            stop.store(true, Ordering::Relaxed);
            result
        })
    }

    /// Trains one batch; returns the point of the curve that it ends.
    fn train(&mut self, place: Place) -> Option<Point> {
        if self.model.numbers != self.numbers() {
            self.model.evaluate_with(self.numbers());
        }
        self.state.running.0 += self.train_batch(place);
        self.state.running.1 += 1;
        self.state.batch += 1;
        let interval = (self.batches() / CURVE_POINTS).max(1);
        let ends = self.state.batch.is_multiple_of(interval) || self.state.batch == self.batches();
        ends.then(|| self.note())
    }

    /// Begins a pass with the entries of the one before, of the `reader` or of the disk.
    fn begin(&mut self, place: Place, reader: Option<Reader<'_>>, stop: &AtomicBool) -> io::Result<()> {
        let last = self.current.take().filter(|pass| pass.place.shard == place.shard);
        let entries = match (last, reader) {
            (Some(pass), _) => pass.entries,
            (None, Some((shard, thread))) if shard == place.shard => {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?
            }
            (None, _) => self.data.read(&self.data.shards[place.shard], stop)?,
        };
        let order = self.schedule.order(place.pass, entries.len());
        self.current = Some(Pass { place, entries, order });
        Ok(())
    }

    /// Trains one batch; returns its mean loss.
    fn train_batch(&mut self, place: Place) -> f64 {
        let size = self.schedule.size;
        let target = self.target();
        let Some(Pass { entries, order, .. }) = &self.current else { return 0.0 };
        let positions = &order[place.batch as usize * size..][..size];
        let model = &self.model;
        let per_slice = size.div_ceil(self.plan.slices);
        self.gradients.par_iter_mut().zip(positions.par_chunks(per_slice)).for_each(|(gradient, order)| {
            let (batch, architecture) = (Batch { entries, order, target }, model.shape.architecture());
            gradient.loss = architecture.learn(&model.used, batch, &mut gradient.workspace, &mut gradient.sums);
        });
        let loss: f64 = self.gradients.iter().map(|gradient| gradient.loss).sum();
        let step = Step {
            rate: self.plan.rate(self.state.batch, self.batches()) as f32,
            decay: self.plan.decay as f32,
            number: self.state.batch + 1,
            scale: 1.0 / size as f32,
            epsilon: self.plan.shape.architecture().epsilon(),
        };
        step.take(&mut self.model, &mut self.state.moments, &mut self.gradients);
        loss / size as f64
    }

    fn target(&self) -> Target {
        Target { scale: self.plan.scale as f32, result_share: self.plan.result_share(self.done()) as f32 }
    }

    /// Adds a point to the curve.
    fn note(&mut self) -> Point {
        let validation = &self.data.validation[..self.data.validation.len().min(CURVE_POSITIONS)];
        let point = Point {
            batch: self.state.batch,
            training: self.state.running.0 / self.state.running.1.max(1) as f64,
            validation: validation::validate(&self.model, validation, self.target()).loss(),
            rate: self.plan.rate(self.state.batch, self.batches()),
        };
        self.state.running = (0.0, 0);
        self.state.curve.push(point);
        point
    }

    /// Losses on the validation positions.
    pub fn validation(&self) -> Validation {
        validation::validate(&self.model, &self.data.validation, self.target())
    }

    /// Losses on other positions, by their scores alone.
    pub fn losses(&self, positions: &Positions) -> Validation {
        validation::validate(&self.model, &positions.0, Target { result_share: 0.0, ..self.target() })
    }

    /// The bytes of the network's file.
    ///
    /// # Errors
    /// [`QuantiseError`] when a parameter does not fit.
    pub fn network(&self, name: &str) -> Result<Vec<u8>, QuantiseError> {
        self.model.quantise(name)
    }

    /// The effect of rounding on the values of validation positions.
    ///
    /// # Errors
    /// [`QuantiseError`] when the network does not fit its file.
    pub fn rounding_error(&self) -> Result<RoundingError, QuantiseError> {
        rounding::measure(&self.model, &self.data.validation)
    }
}

#[cfg(test)]
mod tests {
    use once_cell::sync::Lazy;

    use super::*;
    use crate::architecture::deep::Deep;
    use crate::architecture::k_p::KP;
    use crate::architecture::piece_square::PieceSquare;
    use crate::dataset::Selection;
    use crate::error::FileErrorKind;
    use crate::filter::{Filter, Loud};
    use crate::game_file::GameFile;
    use crate::selfplay::{Player, Settings};
    use crate::shape::Shape;
    use enbu_eval::Evaluation;

    /// Returns true if the tests of many trainings are to run as well, as in `.ci/run`.
    fn has_slow_rows() -> bool {
        std::env::var_os("ENBU_SLOW_TESTS").is_some()
    }

    /// The games of all these tests, played once.
    fn data() -> &'static Dataset {
        static DATA: Lazy<Dataset> = Lazy::new(played);
        &DATA
    }

    fn played() -> Dataset {
        gathered(u64::MAX)
    }

    /// The positions of eighty games, in shards for which this memory suffices.
    fn gathered(memory: u64) -> Dataset {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings { nodes: 40, hash_mb: 1, ..Settings::default() };
        let mut player = Player::new(settings, Evaluation::PieceSquare).expect("memory");
        let shard = GameFile { settings: String::new(), games: (0..80).map(|number| player.game(number)).collect() };
        let path = folder.path().join("a.games");
        shard.write(&path).expect("written");
        let filter = Filter { captures: Loud::Keep, ..Filter::default() };
        let selection = Selection { filter, validation_one_in: 8, memory, folder: folder.path() };
        let mut data = Dataset::gather(&[path], &selection).expect("sound");
        data.label(None).expect("read");
        data
    }

    fn plan() -> Plan {
        let shape = Shape::new(Deep { width: 64 });
        Plan { shape, epochs: 6, batch: 256, rate: 3e-3, rounded_share: 0.4, ..Plan::default() }
    }

    /// A short training, for comparisons of networks.
    fn short_plan() -> Plan {
        Plan { epochs: 3, ..plan() }
    }

    fn trained(plan: Plan, data: &Dataset, threads: usize) -> Trainer<'_> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut trainer = Trainer::new(plan, data).expect("a plan");
        pool.install(|| trainer.run(|_, _| ControlFlow::Continue(()))).expect("read");
        trainer
    }

    /// The mean training losses of the first and the last third of the curve.
    fn first_and_last(trainer: &Trainer<'_>) -> (f64, f64) {
        let mean = |points: &[Point]| points.iter().map(|point| point.training).sum::<f64>() / points.len() as f64;
        let curve = trainer.curve();
        (mean(&curve[..curve.len() / 3]), mean(&curve[curve.len() - curve.len() / 3..]))
    }

    /// Trains until this batch is done.
    fn run_to(trainer: &mut Trainer<'_>, batch: u64) {
        let stop = |done| if done == batch { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        trainer.run(|trainer, _| stop(trainer.batch())).expect("read");
    }

    #[test]
    fn equal_plans_give_equal_networks_on_any_threads() {
        let data = data();
        let one = trained(short_plan(), data, 1);
        let three = trained(short_plan(), data, 3);
        assert_eq!(one.network("a"), three.network("a"));
        assert_eq!(one.curve(), three.curve());
        let other = Plan { seed: 2, ..short_plan() };
        let trainer = Trainer::new(other, data).expect("a plan");
        assert_ne!(trainer.network("a"), Trainer::new(short_plan(), data).expect("a plan").network("a"));
    }

    #[test]
    fn every_shape_is_trained_and_resumed() {
        if !has_slow_rows() {
            return;
        }
        let data = data();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.checkpoint");
        for (shape, epochs, lowered, rounding) in [
            (Shape::new(KP), 5, 0.9, 20.0),
            (Shape::new(Deep { width: 96 }), 5, 0.7, 8.0),
            (Shape::new(PieceSquare), 6, 0.97, 0.1),
        ] {
            let plan = Plan { shape: shape.clone(), epochs, ..plan() };
            let whole = trained(plan.clone(), data, 3);
            // Not the validation: a few games by whichever search is present are soon known by heart.
            let (first, last) = first_and_last(&whole);
            assert!(last < lowered * first, "{shape}: {first} {last}");
            let error = whole.rounding_error().expect("fits");
            assert!(error.arithmetic.max < rounding, "{shape}: {error}");
            let mut first = Trainer::new(plan.clone(), data).expect("a plan");
            let half = whole.batches() / 2;
            run_to(&mut first, half);
            first.save(&path).expect("written");
            let mut second = Trainer::new(plan, data).expect("a plan");
            second.resume(&path).expect("the same plan");
            second.run(|_, _| ControlFlow::Continue(())).expect("read");
            assert_eq!(second.network("a"), whole.network("a"));
            let mut own = Trainer::new(self::plan(), data).expect("a plan");
            assert!(matches!(
                own.start_from(&path),
                Err(FileError { kind: FileErrorKind::Checkpoint(CheckpointError::Shape { .. }), .. })
            ));
        }
    }

    #[test]
    fn a_network_in_a_file_is_trained_on() {
        let of_seed = |seed| Trainer::new(Plan { seed, ..plan() }, data()).expect("a plan");
        let (from, mut to) = (of_seed(1).network("a").expect("fits"), of_seed(2));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.nnue");
        std::fs::write(&path, &from).expect("written");
        assert_ne!(to.network("a").as_ref(), Ok(&from));
        to.start_from(&path).expect("of this shape");
        assert_eq!(to.network("a"), Ok(from.clone()));
        let mut k_p = Trainer::new(Plan { shape: Shape::new(KP), ..plan() }, data()).expect("a plan");
        let error = k_p.start_from(&path).expect_err("of another shape").to_string();
        assert!(
            error.ends_with("the file holds another network: enbu-64-attacks-16-32, not kp-256x2-32-32"),
            "{error}"
        );
        std::fs::write(&path, &from[1..]).expect("written");
        assert!(matches!(to.start_from(&path), Err(FileError { kind: FileErrorKind::Checkpoint(_), .. })));
        std::fs::write(&path, &from[..from.len() - 1]).expect("written");
        assert!(matches!(to.start_from(&path), Err(FileError { kind: FileErrorKind::Network(_), .. })));
    }

    #[test]
    fn training_lowers_the_loss_and_rounding_hardly_raises_it() {
        let data = data();
        let trainer = trained(plan(), data, 2);
        let (first, last) = first_and_last(&trainer);
        assert!(last < 0.6 * first, "{first} {last}");
        let (validation, first) = (trainer.validation(), trainer.curve()[0]);
        // A few games by whichever search is present: lower, but not by much.
        assert!(validation.loss() < 0.9 * first.validation, "{validation} {first:?}");
        let error = trainer.rounding_error().expect("fits");
        assert!(error.arithmetic.max < 8.0, "{error}");
    }

    #[test]
    fn shards_are_trained_and_resumed_like_one() {
        if !has_slow_rows() {
            return;
        }
        let data = gathered(300_000);
        let sizes: Vec<_> = data.shard_sizes().collect();
        assert!(sizes.len() > 2 && sizes.iter().all(|&size| size > 200), "{sizes:?}");
        let plan = || Plan { batch: 100, ..short_plan() };
        let (one, three) = (trained(plan(), &data, 1), trained(plan(), &data, 3));
        assert_eq!(one.network("a"), three.network("a"));
        assert_eq!(one.batches(), 3 * sizes.iter().map(|&size| size as u64 / 100).sum::<u64>());
        let (first, last) = first_and_last(&one);
        assert!(last < 0.9 * first, "{first} {last}");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.checkpoint");
        // Within a shard, at the end of one, in a later epoch.
        for stop in [1, one.schedule.place(0).expect("a batch").end, one.batches() / 2 + 1] {
            let mut first = Trainer::new(plan(), &data).expect("a plan");
            run_to(&mut first, stop);
            first.save(&path).expect("written");
            let mut second = Trainer::new(plan(), &data).expect("a plan");
            second.resume(&path).expect("the same plan");
            second.run(|_, _| ControlFlow::Continue(())).expect("read");
            assert_eq!(second.network("a"), one.network("a"), "{stop}");
        }
        let mut other = Trainer::new(plan(), self::data()).expect("a plan");
        assert!(matches!(
            other.resume(&path),
            Err(FileError { kind: FileErrorKind::Checkpoint(CheckpointError::Plan { .. }), .. })
        ));
    }

    #[test]
    fn a_resumed_training_gives_the_network_of_an_uninterrupted_one() {
        let data = data();
        let whole = trained(short_plan(), data, 1);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.checkpoint");
        let stops = [whole.batches() / 2, 1, whole.batches() - 1];
        for &stop in &stops[..if has_slow_rows() { 3 } else { 1 }] {
            let mut first = Trainer::new(short_plan(), data).expect("a plan");
            run_to(&mut first, stop);
            first.save(&path).expect("written");
            let mut second = Trainer::new(short_plan(), data).expect("a plan");
            second.resume(&path).expect("the same plan");
            assert_eq!(second.batch(), stop);
            second.run(|_, _| ControlFlow::Continue(())).expect("read");
            assert_eq!(second.network("a"), whole.network("a"));
            assert_eq!(second.curve(), whole.curve());
        }
        let mut other = Trainer::new(Plan { epochs: 4, ..short_plan() }, data).expect("a plan");
        assert!(matches!(
            other.resume(&path),
            Err(FileError { kind: FileErrorKind::Checkpoint(CheckpointError::Plan { .. }), .. })
        ));
        assert!(other.start_from(&path).is_ok());
        let shape = Shape::new(Deep { width: 96 });
        let mut wide = Trainer::new(Plan { shape, ..short_plan() }, data).expect("a plan");
        assert!(matches!(
            wide.start_from(&path),
            Err(FileError { kind: FileErrorKind::Checkpoint(CheckpointError::Shape { .. }), .. })
        ));
    }
}
