import { createHmac } from 'node:crypto';
import { pause } from './pause.ts';

/** Members that hold secrets, wherever they stand: no part of a fingerprint. */
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

/** Characters of a text that are written at once. */
const partLength = 65_536;
/** Pieces and characters after which everybody else has a turn. */
const turn = { pieces: 4_000, characters: 524_288 };

/**
 * The keyed hash of a request: the same for the same JSON value, whatever the order of members, without its secrets. Of
 * transient data only the names are part of it. A large body is hashed in turns with everything else.
 *
 * @param head what beside the body tells requests apart
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

function* piecesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    for (let at = 0; at === 0 || at < value.length; at += partLength) {
      yield JSON.stringify(value.slice(at, at + partLength));
    }
  } else if (Array.isArray(value)) {
    yield '[';
    for (const item of value) {
      yield* piecesOf(item);
      yield ',';
    }
    yield ']';
  } else if (typeof value === 'object' && value !== null) {
    yield '{';
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, member] of members) {
      if (secretMembers.has(name)) continue;
      yield `${JSON.stringify(name)}:`;
      yield* piecesOf(name === 'transient' ? namesOf(member) : member);
      yield ',';
    }
    yield '}';
  } else {
    yield value === undefined ? '' : String(value);
  }
}

function namesOf(member: unknown): unknown {
  if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
  return Object.keys(member).sort();
}
