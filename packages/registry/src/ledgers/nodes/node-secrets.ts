import type { SecretBox, SecretProperties } from '../properties/secrets.ts';
import { isWhole, visibleUri } from './node-uri.ts';

/** The opened form of a node's sealed columns. */
export interface NodeSecrets {
  /** The complete address, which may contain credentials. */
  uri: string;
  properties: SecretProperties;
}

/** Key of the address among the sealed values. No node property has this name. */
const address = 'uri';

/**
 * Returns the columns of a node. Only scheme, host and port of its address are stored in plaintext. A longer
 * address is sealed with the secret properties, because it may contain credentials.
 */
export function sealNode(
  box: SecretBox,
  uid: string,
  { uri, properties }: NodeSecrets,
): { uri: string; secrets: Uint8Array | null } {
  const visible = visibleUri(uri);
  const hidden = isWhole(visible) ? {} : { [address]: uri };
  return { uri: isWhole(visible) ? uri : visible, secrets: box.seal(uid, { ...properties, ...hidden }) };
}

/** Reverses `sealNode`. */
export function openNode(
  box: SecretBox,
  { uid, uri, secrets }: { uid: string; uri: string; secrets: Uint8Array | null },
): NodeSecrets {
  const { [address]: sealed, ...properties } = box.open(uid, secrets);
  return { uri: typeof sealed === 'string' ? sealed : uri, properties };
}
