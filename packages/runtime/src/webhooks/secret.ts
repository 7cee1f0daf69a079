import { createHmac, randomBytes } from 'node:crypto';
import type { MasterKey } from '@ledger-ops/base';

const prefix = 'whsec_';

/** Generates a signing secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** Seals a secret for one webhook, so that it cannot be opened in another row. */
export function sealSecret(masterKey: MasterKey, webhookUid: string, secret: string): Uint8Array {
  return masterKey.seal(Buffer.from(secret), purposeOf(webhookUid));
}

/** @throws SealError */
export function openSecret(masterKey: MasterKey, webhookUid: string, sealed: Uint8Array): string {
  return Buffer.from(masterKey.open(sealed, purposeOf(webhookUid))).toString();
}

/** Returns the headers of Standard Webhooks, with one signature for each of the secrets. */
export function signedHeaders(secrets: readonly string[], id: string, at: number, body: string) {
  const seconds = Math.floor(at / 1_000);
  const signature = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
      .update(`${id}.${seconds}.${body}`)
      .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret)}`).join(' '),
  };
}

function purposeOf(webhookUid: string): string {
  return `secret of a webhook\n${webhookUid}`;
}
