import { DefaultDeserializer, serialize } from 'node:v8';
import { weighMessage } from './weigh.ts';

/** Bytes before each message: its length, unsigned, big-endian. */
const headerLength = 4;
/** Bytes of a message from which on it is weighed, read and handed on in a step each. */
const longMessage = 65_536;

/** Copies views out of the frame: they neither keep it alive nor share its memory. */
class CopyingDeserializer extends DefaultDeserializer {
  /** Called by V8 for each view of bytes (node:v8, `deserializer._readHostObject`): its kind, its length, its bytes. */
  _readHostObject(): Uint8Array {
    this.readUint32();
    return new Uint8Array(this.readRawBytes(this.readUint32()));
  }
}

/**
 * One message as structured clone writes it, with its length before it.
 * @throws Error (`DataCloneError`) when a part of it cannot be cloned, e.g. a function.
 */
export function encodeFrame(message: unknown): Buffer {
  const body = serialize(message);
  const frame = Buffer.allocUnsafe(headerLength + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, headerLength);
  return frame;
}

/** Callbacks of a reader of frames. */
export interface FrameEvents {
  message(message: unknown): void;
  /** The stream cannot be read any further. */
  fault(detail: string): void;
}

/**
 * Takes a stream apart into messages. A length above the limit is refused from its header, before memory is
 * given to it, and one of more than `mostValues` before it is read. Every view of bytes in a message comes out as a Uint8Array of its own.
 * A chunk is taken in steps, which are done one after the other, before the next chunk; none takes longer than the longest
 * message takes to be read.
 */
export function createFrameReader(
  maxBytes: number,
  events: FrameEvents,
  mostValues = Number.POSITIVE_INFINITY,
): (chunk: Buffer) => Generator<void> {
  let chunks: Buffer[] = [];
  let buffered = 0;
  let broken = false;

  const fail = (detail: string) => {
    broken = true;
    chunks = [];
    events.fault(detail);
  };

  const take = (length: number): Buffer => {
    const all = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, buffered);
    buffered -= length;
    chunks = buffered === 0 ? [] : [all.subarray(length)];
    return all.subarray(0, length);
  };

  let needed = headerLength;
  let inBody = false;
  return function* (chunk) {
    if (broken) return;
    chunks.push(chunk);
    buffered += chunk.length;
    while (!broken && buffered >= needed) {
      const part = take(needed);
      if (!inBody) {
        needed = part.readUInt32BE(0);
        inBody = true;
        if (needed > maxBytes) fail(`a message of ${needed} bytes, above the limit of ${maxBytes}`);
        continue;
      }
      needed = headerLength;
      inBody = false;
      const isLong = part.length > longMessage;
      if (isLong) yield;
      let message: unknown;
      try {
        if (mostValues !== Number.POSITIVE_INFINITY && weighMessage(part, mostValues) === undefined) {
          fail(`a message of more than ${mostValues} values`);
          return;
        }
        if (isLong) yield;
        const reader = new CopyingDeserializer(part);
        reader.readHeader();
        message = reader.readValue();
      } catch {
        fail('a message that is no structured clone');
        return;
      }
      if (isLong) yield;
      events.message(message);
      if (buffered >= needed) yield;
    }
  };
}
