//! A good placement to begin with: each chain where it gains most, then chains move alone or in pairs while that helps.

use crate::control::Control;
use crate::instance::Instance;
use crate::laws::octans::exact::options::Options;
use crate::laws::octans::exact::rows::Sums;
use crate::laws::octans::exact::state::State;

/// Improve a complete placement until no chain alone can do better; returns its score.
pub fn improve(instance: &Instance, options: &Options, state: &mut State, control: &mut Control) -> f64 {
    let mut slopes: Vec<Sums> = vec![[0.0; 2]; instance.nodes()];
    let mut spare = slopes.clone();
    let mut score = state.relaxed_score(&mut slopes);
    let (mut chain, mut since) = (0, 0);
    while since < options.chains() && !control.count(options.of(chain).len() as u64) {
        since += 1;
        if let Some(better) = move_one(instance, options, state, chain, score, (&mut slopes, &mut spare)) {
            (score, since) = (better, 0);
        }
        chain = (chain + 1) % options.chains();
    }
    score
}

/// Give one chain its best option; the new score if that is better.
fn move_one(
    instance: &Instance,
    options: &Options,
    state: &mut State,
    chain: usize,
    score: f64,
    (slopes, spare): (&mut [Sums], &mut [Sums]),
) -> Option<f64> {
    let now = state.chosen[chain]?;
    state.unplace(chain);
    let without = state.relaxed_score(slopes);
    let (mut best, mut most) = (now, score + 1e-9 * score.abs().max(1.0));
    for option in options.of(chain) {
        let allowed = state.moves + options.choice(option).moves <= instance.max_moves;
        if allowed && state.fits(option) && without + state.gain(option, slopes) > most {
            state.place(chain, option);
            let found = state.relaxed_score(spare);
            state.unplace(chain);
            if found > most {
                (best, most) = (option, found);
            }
        }
    }
    state.place(chain, best);
    (best != now).then_some(most)
}

/// Place chain by chain where each gains most; None where that leads nowhere.
pub fn greedy<'a>(instance: &Instance, options: &'a Options) -> Option<State<'a>> {
    let mut state = State::new(instance, options);
    let mut slopes = vec![[0.0; 2]; instance.nodes()];
    for chain in 0..options.chains() {
        state.relaxed_score(&mut slopes);
        let fitting = options
            .of(chain)
            .filter(|&option| state.fits(option) && state.moves + options.choice(option).moves <= instance.max_moves);
        let best = fitting.map(|option| (option, state.gain(option, &slopes)));
        let best = best.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        state.place(chain, best.0);
    }
    Some(state)
}
