// SPDX-License-Identifier: GPL-2.0-or-later
//! chains CPU-SECONDS: as chains.c. Rust does not promise calls by jumps: there is no letter for them.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

type Step = fn(&[u8], u64) -> u64;

extern "C" {
    fn prctl(option: i32, name: *const u8) -> i32;
    fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
    fn setitimer(which: i32, new: *const [i64; 4], old: *mut [i64; 4]) -> i32;
}

const EACH: usize = 400;
static SINK: AtomicU64 = AtomicU64::new(0);

/// The next letter of the chain.
#[inline(always)]
fn next(at: &[u8], value: u64) -> u64 {
    black_box(black_box(STEPS)[at[1] as usize].unwrap())(&at[1..], value)
}

#[no_mangle]
#[inline(never)]
pub fn f_a(at: &[u8], value: u64) -> u64 {
    next(at, value + 1) ^ 3
}

#[no_mangle]
#[inline(never)]
pub fn f_large(at: &[u8], value: u64) -> u64 {
    let mut room = [0u8; 5000];
    room[(value % 5000) as usize] = value as u8;
    black_box(&mut room);
    next(at, value) ^ u64::from(room[(value % 4999) as usize])
}

#[no_mangle]
#[inline(never)]
pub fn f_registers(at: &[u8], value: u64) -> u64 {
    let a = value.wrapping_mul(3);
    let b = SINK.load(Relaxed);
    let (c, d) = (value ^ b, a.wrapping_add(b));
    let e = b.wrapping_mul(d);
    let got = next(at, a ^ b);
    SINK.fetch_add(a, Relaxed);
    let more = next(at, c ^ d);
    got ^ more.wrapping_mul(a) ^ b.wrapping_mul(c) ^ d.wrapping_add(e)
}

#[no_mangle]
#[inline(never)]
pub fn f_early(at: &[u8], value: u64) -> u64 {
    if at[1] == 0 {
        return value;
    }
    let got = next(at, value ^ 1);
    if got % 3 == 0 {
        return got ^ next(at, got);
    }
    got ^ 5
}

#[no_mangle]
#[inline(never)]
pub fn f_switch(at: &[u8], value: u64) -> u64 {
    match value % 8 {
        0 => next(at, value) ^ 1,
        1 => next(at, SINK.fetch_add(2, Relaxed)).wrapping_mul(3),
        2 => next(at, value << 2) ^ value,
        3 => {
            SINK.fetch_xor(value, Relaxed);
            value.wrapping_add(next(at, value)) ^ 1
        }
        4 => next(at, 5).wrapping_add(next(at, 6)),
        5 => next(at, value >> 3) ^ value,
        6 => value / (next(at, 7) | 1),
        _ => !next(at, value),
    }
}

#[repr(align(64))]
struct Aligned([u8; 128]);

#[no_mangle]
#[inline(never)]
pub fn f_aligned(at: &[u8], value: u64) -> u64 {
    let mut room = Aligned([0; 128]);
    room.0[(value % 128) as usize] = 1;
    black_box(&mut room);
    next(at, value) ^ u64::from(room.0[0])
}

#[no_mangle]
#[inline(never)]
pub fn many(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64, at: &[u8]) -> u64 {
    next(at, a ^ b ^ c ^ d) ^ e ^ f ^ g ^ h
}

#[no_mangle]
#[inline(never)]
pub fn f_many(at: &[u8], value: u64) -> u64 {
    let first = many(value, 1, 2, 3, 4, 5, 6, value, at);
    first ^ many(first, first, 0, 0, 0, 0, first, 8, at)
}

#[no_mangle]
#[inline(never)]
pub fn f_fails(at: &[u8], value: u64) -> u64 {
    let got = next(at, value);
    assert!(SINK.load(Relaxed) != 0x123456789abcdef0, "impossible {}", got);
    got ^ u64::from(at[got as usize % at.len()])
}

#[no_mangle]
#[inline(never)]
pub fn recursive(at: &[u8], value: u64, left: u32) -> u64 {
    let got = if left == 0 { next(at, value) } else { recursive(at, value ^ 1, left - 1) };
    black_box(got).wrapping_mul(3)
}

#[no_mangle]
#[inline(never)]
pub fn f_recursive(at: &[u8], value: u64) -> u64 {
    recursive(at, value, 3) ^ 1
}

#[no_mangle]
#[inline(never)]
pub fn f_double_inner(at: &[u8], a: f64, b: f64) -> f64 {
    a * b + next(at, a as u64) as f64
}

#[no_mangle]
#[inline(never)]
pub fn f_double(at: &[u8], value: u64) -> u64 {
    let half = (value % 1000) as f64 * 0.5;
    f_double_inner(at, half, half + 1.0) as u64
}

#[no_mangle]
#[inline(never)]
pub fn structs(at: &[u8], mut given: [u64; 40]) -> [u64; 40] {
    given[3] ^= next(at, given[1]);
    given
}

#[no_mangle]
#[inline(never)]
pub fn f_structs(at: &[u8], value: u64) -> u64 {
    black_box(structs(at, [value; 40]))[3]
}

#[no_mangle]
#[inline(never)]
pub fn f_Loop(_at: &[u8], mut value: u64) -> u64 {
    for _ in 0..40 {
        value = black_box(value.wrapping_mul(31).wrapping_add(value >> 7));
    }
    value
}

#[no_mangle]
#[inline(never)]
pub fn f_Large(_at: &[u8], value: u64) -> u64 {
    let mut room = [0u8; 3000];
    for i in (0..3000).step_by(64) {
        room[i] = value as u8;
    }
    u64::from(black_box(&mut room)[(value % 3000) as usize])
}

#[no_mangle]
#[inline(never)]
pub fn tiny(value: u64) -> u64 {
    value.wrapping_mul(3) ^ SINK.load(Relaxed)
}

#[no_mangle]
#[inline(never)]
pub fn f_Tiny(_at: &[u8], mut value: u64) -> u64 {
    for _ in 0..8 {
        value = value.wrapping_add(tiny(value));
    }
    value
}

#[no_mangle]
#[inline(never)]
pub fn f_Strings(at: &[u8], value: u64) -> u64 {
    format!("{} {:?}", value, at).len() as u64
}

static STEPS: &[Option<Step>; 128] = &{
    let mut steps: [Option<Step>; 128] = [None; 128];
    steps[b'a' as usize] = Some(f_a);
    steps[b'b' as usize] = Some(f_large);
    steps[b'e' as usize] = Some(f_registers);
    steps[b'f' as usize] = Some(f_early);
    steps[b'g' as usize] = Some(f_switch);
    steps[b'h' as usize] = Some(f_aligned);
    steps[b'i' as usize] = Some(f_many);
    steps[b'j' as usize] = Some(f_fails);
    steps[b'm' as usize] = Some(f_double);
    steps[b'n' as usize] = Some(f_structs);
    steps[b'r' as usize] = Some(f_recursive);
    steps[b'A' as usize] = Some(f_Loop);
    steps[b'C' as usize] = Some(f_Large);
    steps[b'D' as usize] = Some(f_Tiny);
    steps[b'H' as usize] = Some(f_Strings);
    steps
};

#[no_mangle]
#[inline(never)]
pub fn tick_leaf(rounds: u64) {
    for i in 0..rounds {
        SINK.fetch_add(i, Relaxed);
    }
}

#[no_mangle]
pub extern "C" fn on_tick(number: i32) {
    tick_leaf(number as u64 * 2000);
    SINK.fetch_add(1, Relaxed);
}

fn draw(random: &mut u32) -> usize {
    *random = random.wrapping_mul(1664525).wrapping_add(1013904223);
    (*random >> 8) as usize
}

fn make_chain(random: &mut u32) -> Vec<u8> {
    let mut callers = b"abefghijmnr".to_vec();
    let mut chain = vec![b'~'];
    for _ in 0..1 + draw(random) % 9 {
        let which = draw(random) % callers.len();
        chain.push(callers.swap_remove(which));
    }
    chain.push(b"ACDH"[draw(random) % 4]);
    chain.push(0);
    chain
}

#[no_mangle]
#[inline(never)]
pub fn run(until_ns: u64) {
    let mut random = 1;
    let mut used = [0i64; 2];
    while (used[0] * 1_000_000_000 + used[1]) < until_ns as i64 {
        let chain = make_chain(&mut random);
        unsafe { prctl(15, chain.as_ptr()) };
        for _ in 0..EACH {
            SINK.fetch_xor(next(&chain, SINK.load(Relaxed)), Relaxed);
        }
        unsafe { clock_gettime(2, &mut used) };
    }
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    unsafe {
        signal(27, on_tick);
        setitimer(2, &[0, 4000, 0, 4000], std::ptr::null_mut());
    }
    run((seconds * 1e9) as u64);
}
