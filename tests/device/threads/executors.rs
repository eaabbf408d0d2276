//! Tests `to_vec` on every common executor: it needs no executor's features, and blocks none of its
//! threads.

use std::time::Duration;

use indim::{Array, Context, Result};

use super::{ends, gpu, iota};

const TASKS: usize = 16;

/// Computes and reads several times, as each task does.
async fn task(gpu: Context, number: usize) -> Result<f32> {
    let x = gpu.array([1000], &iota(1000))?;
    let mut last = 0.0;
    for round in 0..5 {
        let sum = (&x + (number + round) as f32).eval()?;
        let read = sum.to_vec().await?;
        assert_eq!(read[999], 999.0 + (number + round) as f32);
        let literal = sum.as_any().to_literal().await?;
        assert!(literal.to_vec::<f32>()? == read);
        last = read[0];
    }
    Ok(last)
}

#[track_caller]
fn right(results: impl IntoIterator<Item = Result<f32>>) {
    let results: Vec<f32> = results.into_iter().map(Result::unwrap).collect();
    assert_eq!(results, (0..TASKS).map(|number| number as f32 + 4.0).collect::<Vec<_>>());
}

/// One that waits, and one whose tasks take turns on a thread.
fn within<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    ends(Duration::from_secs(300), work)
}

#[test]
fn pollster() {
    within(|| {
        let gpu = gpu();
        right((0..TASKS).map(|number| pollster::block_on(task(gpu.clone(), number))));
    });
}

fn on_tokio(mut runtime: tokio::runtime::Builder) {
    within(move || {
        let gpu = gpu();
        runtime.build().unwrap().block_on(async {
            let tasks: Vec<_> =
                (0..TASKS).map(|number| tokio::spawn(task(gpu.clone(), number))).collect();
            let mut results = Vec::new();
            for task in tasks {
                results.push(task.await.unwrap());
            }
            right(results);
        });
    });
}

#[test]
fn tokio_on_one_thread() {
    on_tokio(tokio::runtime::Builder::new_current_thread());
}

#[test]
fn tokio_on_many_threads() {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(4);
    on_tokio(runtime);
}

/// Aborted tasks abandon their readings at any point.
#[test]
fn tokio_aborts_tasks() {
    within(|| {
        let gpu = gpu();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        runtime.block_on(async {
            for round in 0..50 {
                let tasks: Vec<_> =
                    (0..TASKS).map(|number| tokio::spawn(task(gpu.clone(), number))).collect();
                for _ in 0..round % 10 {
                    tokio::task::yield_now().await;
                }
                for task in tasks {
                    task.abort();
                    match task.await {
                        Ok(read) => drop(read.unwrap()),
                        Err(aborted) => assert!(aborted.is_cancelled()),
                    }
                }
            }
            task(gpu.clone(), 0).await.unwrap();
        });
    });
}

/// The runtime goes, with tasks in it, and so does the context in them.
#[test]
fn tokio_ends_before_its_tasks() {
    within(|| {
        for threads in [0, 2] {
            let gpu = gpu();
            let runtime = match threads {
                0 => tokio::runtime::Builder::new_current_thread().build().unwrap(),
                _ => tokio::runtime::Builder::new_multi_thread()
                    .worker_threads(threads)
                    .build()
                    .unwrap(),
            };
            for number in 0..TASKS {
                runtime.spawn(task(gpu.clone(), number));
            }
            drop(gpu);
            runtime.block_on(tokio::task::yield_now());
            drop(runtime);
        }
    });
}

#[test]
fn futures_that_wait() {
    within(|| {
        let gpu = gpu();
        right((0..TASKS).map(|number| futures_executor::block_on(task(gpu.clone(), number))));
    });
}

#[test]
fn futures_on_one_thread_and_on_many() {
    within(|| {
        let gpu = gpu();
        let results = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let pool = futures_executor::ThreadPool::builder().pool_size(3).create().unwrap();
        for number in 0..TASKS {
            let (gpu, results) = (gpu.clone(), std::sync::Arc::clone(&results));
            pool.spawn_ok(async move {
                let result = task(gpu, number).await;
                results.lock().unwrap().push((number, result));
            });
        }
        while results.lock().unwrap().len() < TASKS {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut results = std::mem::take(&mut *results.lock().unwrap());
        results.sort_by_key(|(number, _)| *number);
        right(results.into_iter().map(|(_, result)| result));
    });
}

/// One reading is polled from one task and then from another one: the last one is woken.
#[test]
fn a_reading_moves_to_another_executor() {
    within(|| {
        let gpu = gpu();
        let x = gpu.array([1 << 18], &iota(1 << 18)).unwrap();
        let slow: Array<f32> = (0..20).fold(x.expr(), |x, _| x.tan()).eval().unwrap();
        let reading = slow.to_vec();
        let mut reading = Box::pin(reading);
        // Polled once, and left.
        let polled = pollster::block_on(std::future::poll_fn(|task| {
            std::task::Poll::Ready(std::future::Future::poll(reading.as_mut(), task))
        }));
        if let std::task::Poll::Ready(read) = polled {
            // Some adapters compute during submission.
            assert_eq!(read.unwrap().len(), 1 << 18);
            return;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(runtime.block_on(reading).unwrap().len(), 1 << 18);
    });
}
