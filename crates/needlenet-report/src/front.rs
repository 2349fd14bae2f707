//! The names of the options for the reader of a report: on the command line, or in Python.

/// The program or library that the reader works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Front {
    /// The program `needlenet`.
    #[default]
    Program,
    /// The Python package.
    Python,
}

impl Front {
    fn word(self, program: &'static str, python: &'static str) -> &'static str {
        match self {
            Front::Program => program,
            Front::Python => python,
        }
    }

    /// The limit on iterations.
    pub(crate) fn max_iterations(self) -> &'static str {
        self.word("--max-iterations", "max_iter")
    }

    /// The number of null draws.
    pub(crate) fn draws(self) -> &'static str {
        self.word("--draws", "n_draws")
    }

    /// The weight of the penalty.
    pub(crate) fn lambda(self) -> &'static str {
        self.word("--lambda", "lam")
    }

    /// The seed of the search.
    pub(crate) fn seed(self) -> &'static str {
        self.word("--seed", "random_state")
    }

    /// How sure each needle is.
    pub(crate) fn sure(self) -> &'static str {
        self.word("--sure", "sure(X, y)")
    }

    /// The null by permutation.
    pub(crate) fn permutation(self) -> &'static str {
        self.word("--null permutation", "null='permutation'")
    }

    /// Where to find the whole of a list that was cut.
    pub(crate) fn whole_list(self) -> &'static str {
        self.word("--json lists all", "the attributes of the model have all")
    }
}
