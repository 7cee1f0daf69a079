import type {
  handleBidiStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  ServerDuplexStream,
  ServerWritableStream,
} from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { asServiceError, RpcError } from '../gateway/rpc-error.ts';
import type { Limiter } from './limiter.ts';

/**
 * The reason of all abort signals. It is shared, because creating an error with a stack for each call would
 * cost more than the call.
 */
const gone = new RpcError(status.CANCELLED, 'the client disconnected');

/**
 * Serves a unary call within the service's limit. Aborts the signal when the client disconnects or its
 * deadline passes.
 */
export function unary<Request, Answer>(
  limiter: Limiter,
  handle: (request: Request, signal: AbortSignal) => Promise<Answer> | Answer,
): handleUnaryCall<Request, Answer> {
  return (call, callback) => {
    if (!limiter.enter()) {
      callback(asServiceError(new RpcError(status.UNKNOWN, limiter.refusal)));
      return;
    }
    const left = new AbortController();
    let open = true;
    const leave = () => {
      if (open) limiter.leave();
      open = false;
    };
    call.once('cancelled', () => {
      left.abort(gone);
      leave();
    });
    Promise.resolve()
      .then(() => handle(call.request, left.signal))
      .then(
        (answer) => {
          leave();
          if (!left.signal.aborted) callback(null, answer);
        },
        (error: unknown) => {
          leave();
          if (!left.signal.aborted) callback(asServiceError(error));
        },
      );
  };
}

/** The streams that are currently open, which a fault can cut. */
export interface OpenStreams {
  count(): number;
  /** Ends all streams, like a broken connection. */
  cut(): void;
  /** @internal */
  add(cut: () => void): () => void;
}

export function createOpenStreams(): OpenStreams {
  const open = new Set<() => void>();
  return {
    count: () => open.size,
    cut: () => {
      for (const one of [...open]) one();
    },
    add: (cut) => {
      open.add(cut);
      return () => void open.delete(cut);
    },
  };
}

interface StreamOptions {
  limiter: Limiter;
  streams: OpenStreams;
  /** While this returns true, new streams are refused. */
  refused(): boolean;
}

/** Serves a server-streaming call. */
export function serverStreaming<Request, Answer>(
  options: StreamOptions,
  handle: (call: ServerWritableStream<Request, Answer>, signal: AbortSignal) => Promise<void>,
): handleServerStreamingCall<Request, Answer> {
  return (call) => serve(call, options, handle);
}

/** Serves a bidirectional streaming call. */
export function streaming<Request, Answer>(
  options: StreamOptions,
  handle: (call: ServerDuplexStream<Request, Answer>, signal: AbortSignal) => Promise<void>,
): handleBidiStreamingCall<Request, Answer> {
  return (call) => serve(call, options, handle);
}

/** The members that server-streaming and bidirectional calls have in common. */
interface StreamCall extends NodeJS.EventEmitter {
  end(): unknown;
}

function serve<Call extends StreamCall>(
  call: Call,
  { limiter, streams, refused }: StreamOptions,
  handle: (call: Call, signal: AbortSignal) => Promise<void>,
): void {
  const fail = (error: unknown) => void call.emit('error', asServiceError(error));
  if (refused()) {
    fail(new RpcError(status.UNAVAILABLE, 'connection refused'));
    return;
  }
  if (!limiter.enter()) {
    fail(new RpcError(status.UNKNOWN, limiter.refusal));
    return;
  }
  const left = new AbortController();
  const forget = streams.add(() => {
    fail(new RpcError(status.UNAVAILABLE, 'connection cut'));
    left.abort(gone);
  });
  call.once('cancelled', () => left.abort(gone));
  left.signal.addEventListener('abort', done, { once: true });
  handle(call, left.signal).then(
    () => {
      if (!left.signal.aborted) call.end();
      left.abort(gone);
    },
    (error: unknown) => {
      if (!left.signal.aborted) fail(error);
      left.abort(gone);
    },
  );
  function done(): void {
    forget();
    limiter.leave();
  }
}
