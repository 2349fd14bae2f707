//! `needlenet lab`: tables whose needles are known, and the studies that are run on them.

mod ablate;
pub mod args;
mod hay;
mod progress;
mod real;
mod studies;
mod tables;

use crate::failure::Failure;
use args::LabCommand;

/// Runs a command of the laboratory.
pub fn run(command: &LabCommand) -> Result<(), Failure> {
    match command {
        LabCommand::Make(args) => tables::make(args),
        LabCommand::Compare { truth, model } => tables::compare(truth, model),
        LabCommand::Studies { json } => studies::list(*json),
        LabCommand::Run(args) => studies::run(args),
        LabCommand::Replicate(args) => studies::replicate(args),
        LabCommand::Real(args) => real::run(args),
        LabCommand::Hay(args) => hay::run(args),
        LabCommand::Whole(args) => real::whole(args),
        LabCommand::Splits(args) => real::splits(args),
        LabCommand::Ablate(args) => ablate::run(args),
        LabCommand::Summary { folder } => studies::summary(folder),
    }
}
