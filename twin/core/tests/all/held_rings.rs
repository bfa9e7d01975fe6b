//! Rings whose chain is held back by watermarks: worked examples, and what holds at any rates.

use proptest::prelude::*;
use sextant_twin_core::counters::Noise;
use sextant_twin_core::held_rings::{Ring, Rings};
use sextant_twin_core::life::{Life, State};
use sextant_twin_core::line::{Interval, Line, Server};
use sextant_twin_core::setting::Backpressure;

/// Empty rings of 100 packets before servers that take 4 and 1 a second; 10 come.
fn steep() -> Rings {
    let ring = |(place, rate)| Ring::new(place, 100, (rate, 1.0), 0.0, false);
    Rings::new([4.0, 1.0].into_iter().enumerate().map(ring).collect(), 10.0)
}

/// Marks of 100 are 80 and 59. The second ring grows by 3 a second, to 80 after 26 2/3 s; by then the first, which grows by 6,
/// has been full for 10 s and lost 60, before anybody worked on them. What lies in it goes on: 100 packets in 25 s, by which
/// the second grows by 75, has no room for 55 of them, and is then emptied to 59 in 41 s. In the 66 s of both 660 came.
#[test]
fn what_lies_before_a_slow_server_goes_on() {
    let mut rings = steep();
    rings.run(26.0 + 2.0 / 3.0);
    assert_eq!((rings.rings[0].waiting, rings.rings[0].dropped.round(), rings.rings[1].dropped), (100.0, 60.0, 0.0));
    rings.run(26.0 + 2.0 / 3.0 + 66.0);
    let [first, second] = rings.rings[..] else { panic!("two rings") };
    assert!((second.dropped - 55.0).abs() < 1e-9 && (rings.held_back - 660.0).abs() < 1e-9, "{rings:?}");
    assert!((first.waiting - 0.0).abs() < 1e-9 && (second.waiting - 59.0).abs() < 1e-9, "{rings:?}");
}

/// From then on, over and over: open for 7 s, in which the second ring grows by 21 to 80 and the first by 42; closed for the
/// 10.5 s in which these go on, by which the second ring grows by 31.5, 11.5 more than it has room for; closed for another
/// 41 s. So of 585 packets that come in 58.5 s 70 are let in and taken by the first, 58.5 by the second.
#[test]
fn the_long_run_is_that_of_its_cycle() {
    let means = steep().means();
    for (found, expected) in [(means.admitted, 70.0), (means.taken[0], 70.0), (means.taken[1], 58.5)] {
        assert!((found - expected / 58.5).abs() < 1e-9, "{means:?}");
    }
    assert_eq!(means.held, [None, Some((59.0, 100.0))]);
}

/// A ring that nothing overflows is at or between its marks; one that has time for all is not held at all.
#[test]
fn without_overload_nothing_is_held_back() {
    let ring = |place, rate| Ring::new(place, 1024, (rate, 1.0), 0.0, false);
    let means = Rings::new(vec![ring(0, 9.0), ring(1, 8.0)], 7.0).means();
    assert_eq!((means.admitted, means.taken, means.held), (7.0, vec![7.0, 7.0], vec![None, None]));
    let means = Rings::new(vec![ring(0, 20.0), ring(1, 9.0)], 10.0).means();
    assert_eq!(means.held, [None, Some((614.0, 820.0))]);
}

/// Rings and their servers: room, packets a second, share that is passed on; and what comes.
type Drawn = (Vec<(u32, f64, f64)>, f64);

fn drawn() -> impl Strategy<Value = Drawn> {
    let rate = || (4.0..7.0).prop_map(|power| 10_f64.powf(power));
    (prop::collection::vec((5..5000_u32, rate(), 0.2..=1.0), 1..6), rate())
}

fn rings((servers, come): &Drawn) -> Rings {
    let ring = |(place, &(room, rate, pass))| Ring::new(place, room, (rate, pass), 0.0, false);
    Rings::new(servers.iter().enumerate().map(ring).collect(), *come)
}

fn narrowest((servers, _): &Drawn) -> f64 {
    let mut reach = 1.0;
    let of = |(_, rate, pass): &(u32, f64, f64)| {
        let most = rate / reach;
        reach *= pass;
        most
    };
    servers.iter().map(of).fold(f64::INFINITY, f64::min)
}

/// A line of these servers after intervals of so many seconds in which packets come evenly.
fn line((servers, come): &Drawn, backpressure: Backpressure, intervals: u32, seconds: f64) -> (Line, Vec<Life>) {
    let of = |(member, &(room, capacity_pps, _)): (usize, &(u32, f64, f64))| {
        let mut server = Server::new(vec![member], u64::from(room));
        server.capacity_pps = capacity_pps;
        server
    };
    let mut line = Line::new(1, 1);
    line.servers = servers.iter().enumerate().map(of).collect();
    let life = |&(_, _, pass): &(u32, f64, f64)| {
        let mut life = Life::starting("a", pass, 1, 0, &Noise::default());
        life.state = State::Running;
        life
    };
    let mut lives: Vec<Life> = servers.iter().map(life).collect();
    let speeds = vec![1.0; servers.len()];
    let interval = Interval { ns: 0, seconds, link: true, awake: true, backpressure, bytes: 64.0, phase: 0.5 };
    (0..intervals).for_each(|_| line.advance((come * seconds) as u64, &interval, &mut lives, &speeds));
    (line, lives)
}

/// The same in microseconds and whole packets: 80 us after its begin 800 have come. 533 1/3 were not let in, so 533. Of the 267
/// others the first took 206 2/3, so 206, and 61 found its ring full. Of these the second took 80; its ring, full until 51 2/3
/// us, has 71 2/3 left, so 72, and 54 found it full.
#[test]
fn whole_packets_are_those_of_the_fluid() {
    let drawn = (vec![(100, 4e6, 1.0), (100, 1e6, 1.0)], 10e6);
    let (line, nfs) = line(&drawn, Backpressure::Watermarks, 1, 80e-6);
    let (found, drops) = (line.counters, [nfs[0].counters.drops, nfs[1].counters.drops]);
    assert_eq!((found.offered, found.source_drops, drops, found.delivered), (800, 594, [0, 54], 80));
    assert_eq!((line.servers[0].waiting, line.servers[1].waiting, line.servers[1].peaks.0), (0, 72, 100));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// All packets are somewhere. Watermarks let in less at any time, so that each ring holds and loses no more than it does
    /// without, but for a packet that each interval may round.
    #[test]
    fn watermarks_never_lose_more_work(drawn in drawn(), intervals in 1..20_u32, seconds in 0.001..0.5) {
        let (held, nfs) = line(&drawn, Backpressure::Watermarks, intervals, seconds);
        let (_, free) = line(&drawn, Backpressure::None, intervals, seconds);
        let within: u64 = nfs.iter().map(|nf| nf.counters.drops + nf.counters.filtered).sum();
        let counters = held.counters;
        prop_assert_eq!(counters.offered, counters.source_drops + within + counters.delivered + held.waiting());
        for (nf, free) in nfs.iter().zip(&free) {
            prop_assert_eq!(nf.counters.rx, nf.counters.tx + nf.counters.filtered);
            prop_assert!(nf.counters.drops <= free.counters.drops + u64::from(intervals), "{held:?} {free:?}");
        }
        prop_assert!(held.servers.iter().all(|server| server.waiting <= server.room && server.peaks.0 <= server.room));
    }

    /// How time is cut changes nothing.
    #[test]
    fn one_interval_or_several(drawn in drawn(), seconds in 0.001..0.1, cuts in prop::collection::vec(0.0..1.0, 0..5)) {
        let (mut whole, mut parts) = (rings(&drawn), rings(&drawn));
        whole.run(seconds);
        let mut cuts = cuts;
        cuts.sort_by(f64::total_cmp);
        cuts.iter().for_each(|cut| parts.run(cut * seconds));
        parts.run(seconds);
        for (one, other) in whole.rings.iter().zip(&parts.rings) {
            for (one, other) in [(one.waiting, other.waiting), (one.taken, other.taken), (one.dropped, other.dropped)] {
                prop_assert!((one - other).abs() < 0.1, "{whole:?} {parts:?}");
            }
        }
    }

    /// The slowest server always has something to do, and what rings hold is all that a long run and its mean differ by; but
    /// where several of them hold packets back by turns it may be off by a few per cent of what the first ones take.
    #[test]
    fn means_are_those_of_a_long_run(drawn in drawn()) {
        let (narrowest, seconds) = (narrowest(&drawn), 100.0);
        let means = rings(&drawn).means();
        let mut long = rings(&drawn);
        long.run(seconds);
        let delivered = means.taken[means.taken.len() - 1] / drawn.1;
        let reach: f64 = drawn.0[..drawn.0.len() - 1].iter().map(|(_, _, pass)| pass).product();
        prop_assert!((delivered / reach / (narrowest / drawn.1).min(1.0) - 1.0).abs() < 1e-6, "{means:?}");
        let room: f64 = drawn.0.iter().map(|(room, ..)| f64::from(*room)).sum();
        for (ring, mean) in long.rings.iter().zip(&means.taken) {
            prop_assert!((ring.taken - mean * seconds).abs() <= 0.06f64.mul_add(ring.taken, 3.0 * room), "{long:?} {means:?}");
        }
    }
}
