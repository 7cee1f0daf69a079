import { adapterError, type MessageRequest } from '@ledger-ops/adapter';

/**
 * Returns signing requests, which depend on the plugin's URL. A wallet's id and secret at the plugin are derived from
 * their answers, so the secret at one plugin is never sent to another.
 */
export function remoteWalletRequests(url: string): MessageRequest[] {
  return ['id', 'secret'].map((purpose) => ({
    curve: 'ed25519',
    message: Buffer.from(`remote-wallet-${purpose}\n${url}`, 'utf8'),
  }));
}

/**
 * Returns the id and the secret from the answers to `remoteWalletRequests`.
 * @throws AdapterError for other answers
 */
export function readRemoteWallet([id, secret]: readonly Uint8Array[]): { walletId: string; secret: string } {
  if (id?.length !== 32 || secret?.length !== 32)
    throw adapterError('adapter-fault', 'The wallet has no id or no secret.', { phase: 'wallet' });
  return { walletId: uuidOf(id), secret: Buffer.from(secret).toString('base64url') };
}

/** Returns a version 8 UUID (RFC 9562), whose content the application chooses. */
function uuidOf(bytes: Uint8Array): string {
  const chosen = Buffer.from(bytes.subarray(0, 16));
  chosen.writeUInt8((chosen.readUInt8(6) & 0x0f) | 0x80, 6);
  chosen.writeUInt8((chosen.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = chosen.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
