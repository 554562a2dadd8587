// SPDX-License-Identifier: GPL-2.0-or-later

//! Calls that end by panics that are caught, and calls that hand on to another function as their
//! last act. "NAME CALLS EXITS ABANDONED LEAST MOST": what all calls of a function took, as they and as
//! their callers saw it.

use std::hint::black_box;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static THROWING: AtomicU64 = AtomicU64::new(0);
static HANDING: AtomicU64 = AtomicU64::new(0);
static LAST: AtomicU64 = AtomicU64::new(0);
static BETWEEN: AtomicU64 = AtomicU64::new(0);

fn spin(milliseconds: u64, sum: &AtomicU64) {
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(milliseconds) {
        black_box(0);
    }
    sum.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
}

fn seconds(sum: &AtomicU64) -> f64 {
    sum.load(Ordering::Relaxed) as f64 / 1e9
}

#[inline(never)]
#[no_mangle]
fn inner_thrower(n: i32) -> i32 {
    spin(1, &THROWING);
    if n % 4 == 0 {
        panic!("every fourth");
    }
    black_box(n)
}

#[inline(never)]
#[no_mangle]
fn outer_thrower(n: i32) -> i32 {
    inner_thrower(n) + black_box(1)
}

#[inline(never)]
#[no_mangle]
fn last_act(n: i32) -> i32 {
    spin(1, &LAST);
    black_box(n)
}

#[inline(never)]
#[no_mangle]
fn hands_on(n: i32) -> i32 {
    spin(1, &HANDING);
    last_act(n)
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let (mut caught, mut thrown, mut handed) = (0, Duration::ZERO, Duration::ZERO);
    for i in 0..40 {
        let began = Instant::now();
        if catch_unwind(|| outer_thrower(black_box(i))).is_err() {
            caught += 1;
        }
        thrown += began.elapsed();
        spin(3, &BETWEEN);
    }
    for i in 0..40 {
        let began = Instant::now();
        black_box(hands_on(black_box(i)));
        handed += began.elapsed();
        spin(3, &BETWEEN);
    }
    let (thrown, handed) = (thrown.as_secs_f64(), handed.as_secs_f64());
    for name in ["inner_thrower", "outer_thrower"] {
        println!("{} 40 {} {} {} {}", name, 40 - caught, caught, seconds(&THROWING), thrown);
    }
    println!("hands_on 40 40 0 {} {}", seconds(&HANDING) + seconds(&LAST), handed);
    println!("last_act 40 40 0 {} {}", seconds(&LAST), handed - seconds(&HANDING));
}
