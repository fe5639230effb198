//! `TaskQueue`: tasks in a work queue of NATS JetStream. It is disposable: whoever hands out knows from the store what is missing.

use std::time::Duration;

use async_nats::ConnectOptions;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{AckKind, Context, Message};
use capdex_spread::Task;
use futures_util::StreamExt as _;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tracing::{debug, warn};
use url::Url;

use crate::{EngineError, runtime};

/// The stream where the address names none.
const STREAM: &str = "capdex";
/// The one consumer, which all workers share.
const CONSUMER: &str = "workers";
/// The time after which a task goes to another worker, unless its worker says that it is at it.
const ACK_WAIT: Duration = Duration::from_secs(60);
/// A request to the server, or nobody answers.
const REQUEST: Duration = Duration::from_secs(10);
/// The server keeps the pull of a worker for so long.
const PULL: Duration = Duration::from_secs(2);
/// Tasks that are on their way at once while they are handed out.
const BATCH: usize = 256;

/// A work queue.
pub struct TaskQueue {
    address: String,
    stream: String,
    ack_wait: Duration,
    context: Context,
    runtime: Runtime,
    consumer: Option<PullConsumer>,
}

/// A task that a worker took. While this lives, the server is told that somebody is at it.
pub struct Delivery {
    message: Message,
    alive: JoinHandle<()>,
    /// The task; none for a message that is none.
    pub task: Option<Task>,
}

impl Drop for Delivery {
    fn drop(&mut self) {
        self.alive.abort();
    }
}

impl TaskQueue {
    /// Opens `nats://HOST:4222`, with the stream as path where it is not the usual one. A server that is not there yet is
    /// waited for by whoever asks it something.
    ///
    /// # Errors
    /// An address that is none.
    pub fn open(url: &str) -> Result<Self, EngineError> {
        let write = "write nats://HOST:4222 or tls://HOST:4222";
        // The address may hold a password, which no error shows.
        let mut server = Url::parse(url).map_err(|_| EngineError(format!("no address of a queue: {write}")))?;
        let host = server.host_str().map(ToOwned::to_owned).unwrap_or_default();
        let wrong = |why: &str| EngineError(format!("{}://{host}: {why}", server.scheme()));
        if !matches!(server.scheme(), "nats" | "tls") || host.is_empty() {
            return Err(wrong(write));
        }
        let stream = match server.path().trim_matches('/') {
            "" => STREAM.to_owned(),
            name if name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-') => name.to_owned(),
            _ => return Err(wrong("letters, digits and dashes are the name of a stream")),
        };
        let seconds = server.query_pairs().find(|(key, _)| key == "ack_wait").map(|(_, value)| value.parse::<u64>());
        let ack_wait = match seconds {
            None => ACK_WAIT,
            Some(Ok(seconds @ 1..=86_400)) => Duration::from_secs(seconds),
            Some(_) => return Err(wrong("ack_wait is in whole seconds")),
        };
        let address = format!("{}://{host}:{}/{stream}", server.scheme(), server.port().unwrap_or(4222));
        server.set_query(None);
        server.set_path("");
        let runtime = runtime()?;
        let options = ConnectOptions::new()
            .name("capdex")
            // Also where it is not there at first: a worker may start before its queue.
            .retry_on_initial_connect()
            .request_timeout(Some(REQUEST))
            .max_reconnects(None)
            .reconnect_delay_callback(|tries| Duration::from_millis(100 * u64::try_from(tries.min(20)).unwrap_or(20)));
        let client = runtime.block_on(options.connect(server.as_str()));
        let client = client.map_err(|error| EngineError(format!("{address}: {error}")))?;
        // It starts a task of its own, and so wants to be made inside.
        let context = {
            let _inside = runtime.enter();
            async_nats::jetstream::new(client)
        };
        Ok(Self { address, stream, ack_wait, context, runtime, consumer: None })
    }

    fn failed(&self, doing: &str, error: impl std::fmt::Display) -> EngineError {
        EngineError(format!("the queue {} failed to {doing}: {error}", self.address))
    }

    /// Waits for an answer of the server, and not for ever.
    fn ask<T, E: std::fmt::Display>(
        &self,
        doing: &str,
        answer: impl Future<Output = Result<T, E>>,
    ) -> Result<T, EngineError> {
        let limit = REQUEST * 2;
        match self.runtime.block_on(async { tokio::time::timeout(limit, answer).await }) {
            Ok(answer) => answer.map_err(|error| self.failed(doing, error)),
            Err(_) => Err(self.failed(doing, "no answer")),
        }
    }

    /// The stream, made where it is not there: a queue that lost its disk is a new one.
    fn stream(&self) -> Result<Stream, EngineError> {
        let config = Config {
            name: self.stream.clone(),
            subjects: vec![self.subject()],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            ..Config::default()
        };
        self.ask("open the stream", self.context.get_or_create_stream(config))
    }

    fn subject(&self) -> String {
        format!("{}.scan", self.stream)
    }

    /// Hands tasks out. A task of the same round is taken once, however often it is sent within minutes.
    ///
    /// # Errors
    /// A server that does not take all of them.
    pub fn publish(&self, tasks: &[Task], round: u64) -> Result<(), EngineError> {
        self.stream()?;
        let subject = self.subject();
        for batch in tasks.chunks(BATCH) {
            self.ask("take tasks", async {
                let mut sent = Vec::with_capacity(batch.len());
                for task in batch {
                    let message = PublishMessage::build().payload(task.to_bytes().into()).message_id(task.id(round));
                    sent.push(self.context.send_publish(subject.clone(), message).await?);
                }
                for taken in sent {
                    taken.await?;
                }
                Ok::<(), async_nats::jetstream::context::PublishError>(())
            })?;
        }
        Ok(())
    }

    /// Tasks that were handed out and not ended.
    ///
    /// # Errors
    /// A server that does not answer.
    pub fn waiting(&self) -> Result<u64, EngineError> {
        Ok(self.stream()?.cached_info().state.messages)
    }

    /// The next task for this worker; none where there was none for some seconds.
    ///
    /// # Errors
    /// A server that does not answer.
    pub fn take(&mut self) -> Result<Option<Delivery>, EngineError> {
        let consumer = match self.consumer.take() {
            Some(consumer) => consumer,
            None => self.make_consumer()?,
        };
        let pulled = self.ask("give a task", async {
            let mut messages =
                consumer.fetch().max_messages(1).expires(PULL).messages().await.map_err(|error| error.to_string())?;
            messages.next().await.transpose().map_err(|error| error.to_string())
        });
        // After an error it is made anew: the server may have lost it.
        let message = pulled?;
        self.consumer = Some(consumer);
        Ok(message.map(|message| self.deliver(message)))
    }

    fn make_consumer(&self) -> Result<PullConsumer, EngineError> {
        let stream = self.stream()?;
        let config = pull::Config {
            durable_name: Some(CONSUMER.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.ack_wait,
            ..pull::Config::default()
        };
        debug!(queue = self.address, "listening");
        self.ask("open the consumer", stream.get_or_create_consumer(CONSUMER, config))
    }

    fn deliver(&self, message: Message) -> Delivery {
        let task = Task::read(&message.payload);
        let (said, pause) = (message.clone(), self.ack_wait / 4);
        let alive = self.runtime.spawn(async move {
            loop {
                tokio::time::sleep(pause).await;
                if let Err(error) = said.ack_with(AckKind::Progress).await {
                    warn!("the queue was not told of progress: {error}");
                }
            }
        });
        Delivery { message, alive, task }
    }

    /// The task is done.
    ///
    /// # Errors
    /// A server that does not hear it: the task comes again, and is found done.
    pub fn done(&self, delivery: &Delivery) -> Result<(), EngineError> {
        delivery.alive.abort();
        self.ask("hear that a task is done", delivery.message.double_ack())
    }

    /// Somebody else is to have it, after some time.
    ///
    /// # Errors
    /// A server that does not hear it: the task comes again all the same.
    pub fn later(&self, delivery: &Delivery, after: Duration) -> Result<(), EngineError> {
        delivery.alive.abort();
        self.ask("take a task back", delivery.message.ack_with(AckKind::Nak(Some(after))))
    }

    /// Nobody is to have it again.
    ///
    /// # Errors
    /// A server that does not hear it.
    pub fn end(&self, delivery: &Delivery) -> Result<(), EngineError> {
        delivery.alive.abort();
        self.ask("end a task", delivery.message.double_ack_with(AckKind::Term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_none_are_told_without_their_passwords() {
        for address in [
            "queue:4222",
            "http://queue:4222",
            "nats://a:secret@q:4222/a.b",
            "nats://q:4222/x?ack_wait=soon",
            "nats://",
        ] {
            let error = TaskQueue::open(address).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!error.is_empty() && !error.contains("secret"), "{address}: {error}");
        }
    }
}
