import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@ledger-ops/base';

/** Tokens for forms. */
export interface Csrf {
  issue(binding: Secret, purpose: string): string;
  check(binding: Secret, purpose: string, token: string | undefined): boolean;
}

const nonceLength = 16;
const expiryLength = 6;

/**
 * A token is nonce (16) ‖ expiry (6) ‖ HMAC-SHA-256 over both, the binding and the purpose. It is invalid
 * with another session, for another form, or after it expires. Each token is different, so compression
 * reveals nothing about it.
 *
 * @param lifetime of a form, in milliseconds
 */
export function createCsrf(key: Uint8Array, now: () => number, lifetime: number): Csrf {
  const sign = (head: Uint8Array, binding: Secret, purpose: string) =>
    createHmac('sha256', key)
      .update(head)
      .update(JSON.stringify([binding.reveal(), purpose]))
      .digest();
  return {
    issue(binding, purpose) {
      const head = Buffer.alloc(nonceLength + expiryLength);
      randomBytes(nonceLength).copy(head);
      head.writeUIntBE(now() + lifetime, nonceLength, expiryLength);
      return Buffer.concat([head, sign(head, binding, purpose)]).toString('base64url');
    },
    check(binding, purpose, token) {
      if (token === undefined || !/^[A-Za-z0-9_-]{72}$/.test(token)) return false;
      const bytes = Buffer.from(token, 'base64url');
      const head = bytes.subarray(0, nonceLength + expiryLength);
      const mac = bytes.subarray(head.length);
      return (
        timingSafeEqual(mac, sign(head, binding, purpose)) &&
        head.readUIntBE(nonceLength, expiryLength) > now()
      );
    },
  };
}
