import { type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { peer } from '@hyperledger/fabric-protos';
import { DevnetError } from '@ledger-ops/devnet';

const { Type } = peer.ChaincodeMessage;

/** The stream between a peer and a chaincode service. */
export interface ChaincodeStream {
  /** The package id that the service registered with. */
  registeredAs: string;
  send(message: peer.ChaincodeMessage): void;
  close(): void;
}

/** Address of a chaincode service, and the callbacks of its stream. */
export interface StreamOptions {
  /** `host:port` */
  address: string;
  /** The chaincode's name, for error messages. */
  name: string;
  /** The package id that the service must register with. */
  packageId?: string;
  /** Timeout in milliseconds for the service to register. */
  timeoutMs: number;
  /** Aborts the opening of the stream. */
  signal?: AbortSignal;
  onMessage(message: peer.ChaincodeMessage, reply: (answer: peer.ChaincodeMessage) => void): void;
  /** Called once if an open stream ends, other than by `close()`. */
  onEnd(): void;
}

type Stream = ClientDuplexStream<peer.ChaincodeMessage, peer.ChaincodeMessage>;

/**
 * Dials a chaincode service (`protos.Chaincode`) and performs the handshake REGISTER, REGISTERED, READY.
 * @throws DevnetError with the address and the reason
 */
export async function openStream(options: StreamOptions): Promise<ChaincodeStream> {
  const client = new peer.ChaincodeClient(options.address, credentials.createInsecure(), {
    // Each stream has its own channel: after a failed connection, a shared channel would wait for its backoff
    // before it dials again.
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
  const abort = () => refuse('the caller canceled the connection');
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
    else refuse('its first message was not REGISTER');
  });
  stream.on('error', (error) => end(error.message));
  stream.on('end', () => end('it closed the stream'));

  try {
    const registeredAs = await opened.promise;
    if (options.packageId !== undefined && registeredAs !== options.packageId)
      throw new DevnetError(
        `the chaincode at ${options.address} registered with the package id "${registeredAs}", but "${options.packageId}" is expected; start it with CHAINCODE_ID=${options.packageId}`,
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

/** Returns the package id in a REGISTER message; an empty string if the message does not contain one. */
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
