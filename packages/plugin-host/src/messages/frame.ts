import { DefaultDeserializer, serialize } from 'node:v8';
import { weighMessage } from './weigh.ts';

/** Number of bytes of the header, which contains the message length, unsigned and big-endian. */
const headerLength = 4;
/** Minimum number of bytes of a message that is weighed, parsed and delivered in separate steps. */
const longMessage = 65_536;

/** Copies views out of the frame, so that they neither keep it alive nor share its memory. */
class CopyingDeserializer extends DefaultDeserializer {
  /** Called by V8 for each view of bytes (node:v8, `deserializer._readHostObject`): its kind, its length, its bytes. */
  _readHostObject(): Uint8Array {
    this.readUint32();
    return new Uint8Array(this.readRawBytes(this.readUint32()));
  }
}

/**
 * One message in structured-clone form, preceded by its length.
 * @throws Error (`DataCloneError`) if a part cannot be cloned, for example a function.
 */
export function encodeFrame(message: unknown): Buffer {
  const body = serialize(message);
  const frame = Buffer.allocUnsafe(headerLength + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, headerLength);
  return frame;
}

/** Callbacks of a frame reader. */
export interface FrameEvents {
  message(message: unknown): void;
  /** Called when the stream cannot be read any further. */
  fault(detail: string): void;
}

/**
 * Splits a stream into messages. Rejects a length above the limit before allocating memory, and a message with more
 * than `mostValues` before deserializing it. Every view of bytes becomes a separate Uint8Array. A chunk is
 * processed in steps before the next chunk is read. No step takes longer than parsing the longest message.
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
        if (needed > maxBytes) fail(`a message of ${needed} bytes, which exceeds the limit of ${maxBytes}`);
        continue;
      }
      needed = headerLength;
      inBody = false;
      const isLong = part.length > longMessage;
      if (isLong) yield;
      let message: unknown;
      try {
        if (mostValues !== Number.POSITIVE_INFINITY && weighMessage(part, mostValues) === undefined) {
          fail(`a message with more than ${mostValues} values`);
          return;
        }
        if (isLong) yield;
        const reader = new CopyingDeserializer(part);
        reader.readHeader();
        message = reader.readValue();
      } catch {
        fail('a message that is not a structured clone');
        return;
      }
      if (isLong) yield;
      events.message(message);
      if (buffered >= needed) yield;
    }
  };
}
