//! Connections: their number at once, the time for a head, their lifetime, and the end of the service.
//!
//! A client that sends slowly, or does not read, costs one place for a bounded time and nothing else.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;

use super::dispatch::Service;

/// Bytes of a head, and of what is read ahead.
const HEAD_BYTES: usize = 16 * 1024;
/// Headers of a request.
const HEADERS: usize = 64;
/// The longest time for a head, and the longest silence between two requests.
const HEAD_WAIT: Duration = Duration::from_secs(10);
/// The longest wait of an answer for a client that does not read.
const STALL: Duration = Duration::from_secs(10);
/// The time for which a connection is used; then it is closed after the answer in hand.
const LIFE: Duration = Duration::from_secs(120);
/// The longest time that the answer in hand may take then.
const LAST_WAIT: Duration = Duration::from_secs(5);
/// The pause after a connection could not be taken, for want of file handles.
const BREATH: Duration = Duration::from_millis(50);

/// Takes connections until the process is asked to stop, and waits for the answers in hand.
pub(super) async fn accept(
    listener: &TcpListener,
    service: &Arc<Service>,
    most: usize,
    stop: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(most));
    let (end, ended) = watch::channel(false);
    let mut stop = std::pin::pin!(stop);
    loop {
        let place = tokio::select! {
            // A place before a connection: those beyond the limit wait in the kernel's queue and cost nothing here.
            place = Arc::clone(&places).acquire_owned() => place,
            () = &mut stop => break,
        };
        let Ok(place) = place else { break };
        let taken = tokio::select! {
            taken = listener.accept() => taken,
            () = &mut stop => break,
        };
        match taken {
            Ok((stream, _)) => {
                let (service, ended) = (Arc::clone(service), ended.clone());
                tokio::spawn(async move {
                    service.metrics.opened();
                    serve(stream, &service, ended).await;
                    service.metrics.closed();
                    // Held until the connection is over, whatever became of it.
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                // Without a pause the loop would spin, since the same error comes back at once.
                tokio::time::sleep(BREATH).await;
            }
        }
    }
    // Everybody lets go within the last wait; nobody listens any more where nobody is connected.
    drop(ended);
    let _ = end.send(true);
    // All places together can be had only when every connection has ended.
    let whole = u32::try_from(most).unwrap_or(u32::MAX);
    if tokio::time::timeout(LAST_WAIT + BREATH, places.acquire_many(whole)).await.is_err() {
        tracing::warn!("some connections were cut");
    }
}

async fn serve(stream: TcpStream, service: &Arc<Service>, mut ended: watch::Receiver<bool>) {
    // Answers are whole when they are written: nothing is to be waited for.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STALL));
    let answer = service_fn(|request| {
        let service = Arc::clone(service);
        async move { Ok::<_, Infallible>(service.answer(request).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WAIT).max_buf_size(HEAD_BYTES).max_headers(HEADERS);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(Box::pin(stream)), answer));
    let is_over = tokio::select! {
        result = connection.as_mut() => {
            if let Err(error) = result {
                tracing::debug!(%error, "a connection ended badly");
            }
            true
        }
        _ = ended.changed() => false,
        // Even a busy connection ends, so that one client cannot keep a place for ever.
        () = tokio::time::sleep(LIFE) => false,
    };
    if !is_over {
        // The answer in hand is finished; after that the connection is closed.
        connection.as_mut().graceful_shutdown();
        let _ = tokio::time::timeout(LAST_WAIT, connection).await;
    }
}
