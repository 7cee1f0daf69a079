import { type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { peer } from '@hyperledger/fabric-protos';
import { DevnetError } from '@ledger-ops/devnet';

const { Type } = peer.ChaincodeMessage;

/** Between a peer and a chaincode service. */
export interface ChaincodeStream {
  /** The package id by which the service calls itself. */
  registeredAs: string;
  send(message: peer.ChaincodeMessage): void;
  close(): void;
}

/** Where a chaincode service is, and what hears of its stream. */
export interface StreamOptions {
  /** `host:port` */
  address: string;
  /** For messages to people. */
  name: string;
  /** The service must call itself so. */
  packageId?: string;
  /** Milliseconds until the service must have introduced itself. */
  timeoutMs: number;
  /** Gives up the opening. */
  signal?: AbortSignal;
  onMessage(message: peer.ChaincodeMessage, reply: (answer: peer.ChaincodeMessage) => void): void;
  /** Once, after the stream was open: it ended, other than by `close()`. */
  onEnd(): void;
}

type Stream = ClientDuplexStream<peer.ChaincodeMessage, peer.ChaincodeMessage>;

/**
 * Dials a chaincode service (`protos.Chaincode`) and goes through REGISTER, REGISTERED, READY.
 * @throws DevnetError that says where, and why not
 */
export async function openStream(options: StreamOptions): Promise<ChaincodeStream> {
  const client = new peer.ChaincodeClient(options.address, credentials.createInsecure(), {
    // A channel of its own: a shared one would wait out its pause after a failure before it dials again.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': 100 * 1024 * 1024,
    'grpc.max_send_message_length': 100 * 1024 * 1024,
  });
  const stream: Stream = client.connect();
  const close = () => {
    stream.cancel();
    client.close();
  };
  const send = (message: peer.ChaincodeMessage) => void stream.write(message);
  let state: 'opening' | 'open' | 'ended' = 'opening';
  const opened = Promise.withResolvers<string>();
  const refuse = (why: string) =>
    opened.reject(new DevnetError(`connection to ${options.name} at ${options.address} failed: ${why}`));
  const timer = setTimeout(
    () => refuse(`it did not register within ${options.timeoutMs} ms`),
    options.timeoutMs,
  );
  const abort = () => refuse('nobody waits for it any more');
  options.signal?.addEventListener('abort', abort, { once: true });
  const end = (why: string) => {
    const before = state;
    state = 'ended';
    if (before === 'opening') refuse(why);
    if (before === 'open') options.onEnd();
    client.close();
  };
  stream.on('data', (message: peer.ChaincodeMessage) => {
    if (state === 'open') options.onMessage(message, send);
    else if (message.getType() === Type.REGISTER) opened.resolve(nameIn(message));
    else refuse('it did not begin by registering, as a chaincode service does');
  });
  stream.on('error', (error) => end(error.message));
  stream.on('end', () => end('it closed the stream'));

  try {
    const registeredAs = await opened.promise;
    if (options.packageId !== undefined && registeredAs !== options.packageId)
      throw new DevnetError(
        `the service at ${options.address} is chaincode "${registeredAs}", not "${options.packageId}": start it with this package id (CHAINCODE_ID)`,
      );
    state = 'open';
    send(plain(Type.REGISTERED));
    send(plain(Type.READY));
    return {
      registeredAs,
      send,
      close() {
        state = 'ended';
        close();
      },
    };
  } catch (error) {
    state = 'ended';
    close();
    throw error;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', abort);
  }
}

/** Empty when the bytes are no name. */
function nameIn(message: peer.ChaincodeMessage): string {
  try {
    return peer.ChaincodeID.deserializeBinary(message.getPayload_asU8()).getName();
  } catch {
    return '';
  }
}

function plain(type: ReturnType<peer.ChaincodeMessage['getType']>): peer.ChaincodeMessage {
  const message = new peer.ChaincodeMessage();
  message.setType(type);
  return message;
}
