//! Connections: their number at once, the time for a head, their lifetime, and the end of the service.
//!
//! A client that sends slowly, or does not read, costs one place for a bounded time and nothing else. One that opens many
//! has three quarters of the places at most: the rest is for others.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
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
    let peers = Arc::new(Peers::with_places(most));
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
            Ok((stream, peer)) => {
                // Whoever has his share is hung up on: in the queue he would hold up those behind him.
                let Some(share) = peers.take(peer.ip()) else { continue };
                let (service, ended) = (Arc::clone(service), ended.clone());
                tokio::spawn(async move {
                    service.metrics.opened();
                    serve(stream, &service, ended).await;
                    service.metrics.closed();
                    // Held until the connection is over, whatever became of it.
                    drop((place, share));
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

/// The connections of each peer.
struct Peers {
    most: usize,
    open: Mutex<BTreeMap<IpAddr, usize>>,
}

/// A connection of a peer, until it is dropped.
struct PeerShare {
    peers: Arc<Peers>,
    peer: IpAddr,
}

impl Peers {
    /// Leaves a quarter of the places to others, and one at least where there are several. A proxy in front is one peer too.
    fn with_places(places: usize) -> Self {
        let left = (places / 4).max(1);
        Self { most: places.saturating_sub(left).max(1), open: Mutex::default() }
    }

    /// A place for a peer; none where he has his share.
    fn take(self: &Arc<Self>, address: IpAddr) -> Option<PeerShare> {
        let peer = network_of(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(peer).or_insert(0);
        // An entry that is made here is of a peer who has a place from now on, since the share is one at least.
        (*count < self.most).then(|| {
            *count += 1;
            PeerShare { peers: Arc::clone(self), peer }
        })
    }
}

impl Drop for PeerShare {
    fn drop(&mut self) {
        let mut open = self.peers.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.peer);
            }
        }
    }
}

/// The network that one customer has: of IPv6 he gets 64 bits to himself.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        address => address,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_has_three_quarters_of_the_places_and_others_the_rest() {
        let peers = Arc::new(Peers::with_places(8));
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let held: Vec<_> = (0..7).map(|_| peers.take(address("192.0.2.1"))).collect();
        assert_eq!(held.iter().flatten().count(), 6);
        assert!(peers.take(address("::ffff:192.0.2.1")).is_none(), "the same in the form of IPv6");
        assert!(peers.take(address("192.0.2.2")).is_some());
        drop(held);
        assert!(peers.open.lock().unwrap().is_empty());
        let _held: Vec<_> = (0..6).map(|at| peers.take(address(&format!("2001:db8:0:1::{at}"))).unwrap()).collect();
        assert!(peers.take(address("2001:db8:0:1:ffff::1")).is_none(), "one network of one customer");
        assert!(peers.take(address("2001:db8:0:2::1")).is_some());
        assert!(Arc::new(Peers::with_places(1)).take(address("192.0.2.1")).is_some());
    }
}
