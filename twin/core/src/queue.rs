//! Waiting in a ring (section 6): batches come at random to a server with room for K of them (M/M/1/K), which at any
//! load holds no more than the room.

/// A ring at load rho, in batches.
#[derive(Debug, Clone, Copy)]
pub struct Queue {
    rho: f64,
    room: f64,
}

impl Queue {
    /// `rho`: what comes over what can be served; `room` batches.
    pub fn new(rho: f64, room: f64) -> Self {
        Self { rho: rho.clamp(1e-9, 1e9), room: room.max(1.0) }
    }

    /// Mean batches in it: sum of n rho^n over n = 0 to K, over the sum of rho^n.
    pub fn mean(&self) -> f64 {
        let (rho, room) = (self.rho, self.room);
        if rho > 1.0 {
            return room - Self::new(1.0 / rho, room).mean(); // the same with n and K - n exchanged
        }
        if (1.0 - rho) * room < 1e-4 {
            return room / 2.0;
        }
        let last = rho.powf(room + 1.0);
        (rho / (1.0 - rho) - (room + 1.0) * last / (1.0 - last)).max(0.0)
    }

    /// A share `p` of the time it holds at most so many batches.
    pub fn quantile(&self, p: f64) -> f64 {
        let (rho, room) = (self.rho, self.room);
        if rho > 1.0 {
            return room - Self::new(1.0 / rho, room).quantile(1.0 - p);
        }
        if (1.0 - rho) * room < 1e-4 {
            return (p * (room + 1.0) - 1.0).max(0.0);
        }
        let below = 1.0 - p * (1.0 - rho.powf(room + 1.0));
        (below.ln() / rho.ln() - 1.0).clamp(0.0, room)
    }
}

/// Packets in a ring.
#[derive(Debug, Clone, Copy)]
pub enum Fill {
    /// They come at random, in batches.
    Queue {
        /// Of batches.
        queue: Queue,
        /// Packets of one.
        batch: f64,
    },
    /// They rise and fall evenly between two numbers.
    Held {
        /// The lower one.
        least: f64,
        /// The higher one.
        most: f64,
    },
}

impl Fill {
    /// In the mean.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Queue { queue, batch } => queue.mean() * batch,
            Self::Held { least, most } => f64::midpoint(*least, *most),
        }
    }

    /// A share `p` of the time there are at most so many.
    pub fn quantile(&self, p: f64) -> f64 {
        match self {
            Self::Queue { queue, batch } => queue.quantile(p) * batch,
            Self::Held { least, most } => p.mul_add(most - least, *least),
        }
    }
}

/// Standing still for `held_s` of every `period_s`, at random to who comes.
#[derive(Debug, Clone, Copy)]
pub struct Pause {
    /// How long.
    pub held_s: f64,
    /// How often.
    pub period_s: f64,
}

impl Pause {
    /// Mean wait: who comes in the pause (held / period of all) waits half of it.
    pub fn mean(&self) -> f64 {
        self.held_s * self.held_s / (2.0 * self.period_s)
    }

    /// A share `p` waits at most so long.
    pub fn quantile(&self, p: f64) -> f64 {
        (self.held_s - (1.0 - p) * self.period_s).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// rho = .5, room for 2: weights 1, .5, .25; mean (.5 + .5) / 1.75 = .571.
    #[test]
    fn a_small_ring_by_hand() {
        assert!((Queue::new(0.5, 2.0).mean() - 1.0 / 1.75).abs() < 1e-12);
        assert!((Queue::new(2.0, 2.0).mean() - (2.0 - 1.0 / 1.75)).abs() < 1e-12);
        assert!((Queue::new(1.0, 2.0).mean() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_overloaded_ring_is_full_and_a_quiet_one_empty() {
        assert!(Queue::new(1e6, 16.0).mean() > 15.99);
        assert!(Queue::new(1e-6, 16.0).mean() < 0.01);
        assert!(Queue::new(1e6, 16.0).quantile(0.5) > 15.0);
    }

    /// Half of every 10 ms: 25 / 20 = 1.25 ms on average; 95 % wait at most 5 - .05 x 10 = 4.5 ms.
    #[test]
    fn a_quota_of_a_half() {
        let pause = Pause { held_s: 5e-3, period_s: 10e-3 };
        assert!((pause.mean() - 1.25e-3).abs() < 1e-12);
        assert!((pause.quantile(0.95) - 4.5e-3).abs() < 1e-12);
        assert_eq!(pause.quantile(0.3), 0.0);
    }
}
