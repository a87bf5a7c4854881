//! A value that its owner lends while others may keep it: dropped with the last loan, and put in anew by the owner.
//!
//! The traced future keeps the memory of its waker for life, but the executor's waker in it only as long as somebody else
//! holds a clone: otherwise a task would hold a waker of itself, and an executor that drops tasks which nobody can wake
//! would never drop it.

use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{fence, AtomicUsize, UnsafeCell};

pub(crate) struct Lent<T> {
    /// Loans, and how many of them are spent, times `SPENT`. At zero nobody but the owner may touch the value.
    loans: AtomicUsize,
    /// One for the owner, one for all loans together: who takes the last frees the memory.
    memory: AtomicUsize,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: a value is reached by shared reference from several threads, and dropped on any.
unsafe impl<T: Send + Sync> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Lent<T> {}

const SPENT: usize = 1 << (usize::BITS / 4 * 3);

/// What became of the owner's wish to lend once more.
#[derive(PartialEq, Debug)]
pub(crate) enum Hold {
    /// There is a value, and one loan is the caller's.
    Held,
    /// There is none: the caller may `put` one.
    Empty,
    /// The last borrower is just dropping the value: the owner has to take another `Lent`.
    Busy,
}

impl<T> Lent<T> {
    /// With one loan, which is the caller's, who is the owner too.
    pub(crate) fn new(value: T) -> Self {
        Self { loans: AtomicUsize::new(1), memory: AtomicUsize::new(2), value: UnsafeCell::new(Some(value)) }
    }

    /// Owner only.
    pub(crate) fn hold(&self) -> Hold {
        let mut n = self.loans.load(Relaxed);
        while n != 0 {
            match self.loans.compare_exchange_weak(n, n + 1, Acquire, Relaxed) {
                Ok(_) => return Hold::Held,
                Err(seen) => n = seen,
            }
        }
        // Acquire: pairs with the last borrower's `leave`, so that the value is gone before another is put.
        if self.memory.load(Acquire) == 1 {
            Hold::Empty
        } else {
            Hold::Busy
        }
    }

    /// Owner only, after `Empty`: the value, with one loan for the caller.
    pub(crate) fn put(&self, value: T) {
        // SAFETY: no loans, and the last one has left: nobody else reaches the value.
        self.with_mut(|v| unsafe { *v = Some(value) });
        self.memory.store(2, Relaxed);
        self.loans.store(1, Release);
    }

    /// Owner only, holding a loan: another value, where that is the only loan. False: others see the old one.
    pub(crate) fn replace(&self, value: impl FnOnce() -> T) -> bool {
        // Acquire: what the others did with the value came before.
        if self.loans.load(Acquire) != 1 {
            return false;
        }
        let value = value();
        // SAFETY: the only loan is ours, and loans come from loans.
        self.with_mut(|v| unsafe { *v = Some(value) });
        true
    }

    pub(crate) fn lend(&self) {
        // As Arc: more than half of what can be counted would be a program that leaks wakers until they wrap around.
        if self.loans.fetch_add(1, Relaxed) % SPENT > SPENT / 2 {
            std::process::abort();
        }
    }

    pub(crate) fn loans(&self) -> usize {
        self.loans.load(Relaxed) % SPENT
    }

    /// A loan is used for the last time: it counts no more in `unspent`. Whoever is told so otherwise sees it, too: relaxed.
    pub(crate) fn spend(&self) {
        self.loans.fetch_add(SPENT, Relaxed);
    }

    pub(crate) fn unspent(&self) -> usize {
        let n = self.loans.load(Relaxed);
        n % SPENT - n / SPENT
    }

    /// Holders of a loan only.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        #[cfg(not(loom))]
        // SAFETY: while there is a loan the value is there and only read.
        return f(unsafe { (*self.value.get()).as_ref().unwrap_unchecked() });
        #[cfg(loom)]
        // SAFETY: as above.
        return self.value.with(|v| f(unsafe { (*v).as_ref().unwrap() }));
    }

    /// Gives a loan back; with the last one the value is dropped. True: the caller has to free the memory.
    pub(crate) fn give_back(&self) -> bool {
        self.give(1)
    }

    pub(crate) fn give_back_spent(&self) -> bool {
        self.give(1 + SPENT)
    }

    fn give(&self, loan: usize) -> bool {
        if self.loans.fetch_sub(loan, Release) != loan {
            return false;
        }
        fence(Acquire);
        // SAFETY: the last loan was ours; the owner puts another value only after `leave`.
        let value = self.with_mut(|v| unsafe { (*v).take() });
        drop(value);
        self.leave()
    }

    /// The owner, or the loans together, need the memory no more. True: nobody does, and the caller has to free it.
    pub(crate) fn leave(&self) -> bool {
        if self.memory.fetch_sub(1, Release) != 1 {
            return false;
        }
        fence(Acquire);
        true
    }

    fn with_mut<R>(&self, f: impl FnOnce(*mut Option<T>) -> R) -> R {
        #[cfg(not(loom))]
        return f(self.value.get());
        #[cfg(loom)]
        return self.value.with_mut(f);
    }
}
