import { createHmac } from 'node:crypto';
import { pause } from '../pause.ts';

/** Members with secrets, at any depth; excluded from fingerprints. */
const secretMembers = new Set([
  'walletPassword',
  'password',
  'newPassword',
  'privateKey',
  'keystore',
  'keystorePassword',
  'enrollmentSecret',
  'pluginSecrets',
  'serviceSession',
  'initToken',
  'secret',
  'signature',
]);

/** Characters of a text per hash update. */
const partLength = 65_536;
/** Hashing yields to other work after `pieces` values or `characters` characters. */
const turn = { pieces: 4_000, characters: 524_288 };

/**
 * Computes the keyed hash of a request. Equal JSON values have equal hashes, in any member order. Secrets are excluded;
 * of transient data, only the names are included. Hashing a large body yields to other work.
 *
 * @param head the parts of the request other than the body
 */
export async function fingerprintOf(key: Uint8Array, head: string, body: unknown): Promise<string> {
  const hmac = createHmac('sha256', key);
  let text = head;
  let pieces = 0;
  let characters = 0;
  for (const piece of piecesOf(body)) {
    text += piece;
    pieces += 1;
    if (text.length >= partLength) {
      characters += text.length;
      hmac.update(text);
      text = '';
    }
    if (pieces >= turn.pieces || characters >= turn.characters) {
      pieces = 0;
      characters = 0;
      await pause();
    }
  }
  return hmac.update(text).digest('base64url');
}

/** A partly written list or object. */
interface Frame {
  readonly end: ']' | '}';
  /** Member names, for an object. */
  readonly names?: readonly string[];
  readonly values: readonly unknown[];
  next: number;
}

/** Iterative, because a recursive generator would pass each piece through every nesting level. */
function* piecesOf(root: unknown): Generator<string> {
  const frames: Frame[] = [];
  let value = root;
  for (;;) {
    if (typeof value === 'string') {
      for (let at = 0; at === 0 || at < value.length; at += partLength) {
        yield JSON.stringify(value.slice(at, at + partLength));
      }
    } else if (typeof value === 'object' && value !== null) {
      const frame = frameOf(value);
      frames.push(frame);
      yield frame.end === ']' ? '[' : '{';
    } else yield value === undefined ? '' : String(value);

    let frame = frames.at(-1);
    // Writes no comma before the first value.
    if (frame !== undefined && frame.next > 0) yield ',';
    while (frame !== undefined && frame.next === frame.values.length) {
      frames.pop();
      yield frame.end;
      frame = frames.at(-1);
      if (frame !== undefined) yield ',';
    }
    if (frame === undefined) return;
    if (frame.names !== undefined) yield `${JSON.stringify(frame.names[frame.next])}:`;
    value = frame.values[frame.next];
    frame.next += 1;
  }
}

function frameOf(value: object): Frame {
  if (Array.isArray(value)) return { end: ']', values: value, next: 0 };
  const members = Object.entries(value)
    .filter(([name]) => !secretMembers.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    end: '}',
    names: members.map(([name]) => name),
    values: members.map(([name, member]) => (name === 'transient' ? namesOf(member) : member)),
    next: 0,
  };
}

function namesOf(member: unknown): unknown {
  if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
  return Object.keys(member).sort();
}
