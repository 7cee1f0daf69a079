/** Concatenates the chunks of a body, in time linear in their bytes. */
export interface ByteCollector {
  readonly length: number;
  add(chunk: Uint8Array): void;
  /** Returns all added bytes. */
  bytes(): Buffer;
}

const noRoom = Buffer.alloc(0);

export function createByteCollector(): ByteCollector {
  let only: Uint8Array | undefined;
  let room = noRoom;
  let length = 0;

  function append(chunk: Uint8Array): void {
    if (length + chunk.length > room.length) {
      const larger = Buffer.allocUnsafe(2 * (length + chunk.length));
      room.copy(larger, 0, 0, length);
      room = larger;
    }
    room.set(chunk, length);
    length += chunk.length;
  }

  return {
    get length() {
      return length;
    },
    add(chunk) {
      // Most bodies arrive in one chunk, which is not copied.
      if (length === 0 && chunk.length > 0) {
        only = chunk;
        length = chunk.length;
        return;
      }
      if (only !== undefined && chunk.length > 0) {
        const first = only;
        only = undefined;
        length = 0;
        append(first);
      }
      append(chunk);
    },
    bytes() {
      if (only === undefined) return room.subarray(0, length);
      return Buffer.from(only.buffer, only.byteOffset, only.length);
    },
  };
}
