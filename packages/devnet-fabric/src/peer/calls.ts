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

/** Why signals come. One for all: an error with a stack for each call would cost more than the call. */
const gone = new RpcError(status.CANCELLED, 'the client has left');

/** Serves a call with one answer, within the service's limit. The signal comes when the client leaves or its deadline passes. */
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

/** Streams under way, to be cut by a fault. */
export interface OpenStreams {
  /** How many there are. */
  count(): number;
  /** Ends them all as a broken connection would. */
  cut(): void;
  /** @internal */
  add(cut: () => void): () => void;
}

/** No streams yet. */
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
  /** New streams are turned away while this holds. */
  refused(): boolean;
}

/** Serves a call with many answers to one question. */
export function serverStreaming<Request, Answer>(
  options: StreamOptions,
  handle: (call: ServerWritableStream<Request, Answer>, signal: AbortSignal) => Promise<void>,
): handleServerStreamingCall<Request, Answer> {
  return (call) => serve(call, options, handle);
}

/** Serves a call with many questions and answers. */
export function streaming<Request, Answer>(
  options: StreamOptions,
  handle: (call: ServerDuplexStream<Request, Answer>, signal: AbortSignal) => Promise<void>,
): handleBidiStreamingCall<Request, Answer> {
  return (call) => serve(call, options, handle);
}

/** A stream of either kind, as far as it concerns its beginning and end. */
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
