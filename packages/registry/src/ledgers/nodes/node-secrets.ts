import type { SecretBox, SecretProperties } from '../properties/secrets.ts';
import { isWhole, visibleUri } from './node-uri.ts';

/** The parts of a node that are stored sealed, opened. */
export interface NodeSecrets {
  /** Whole: may hold credentials. */
  uri: string;
  properties: SecretProperties;
}

/** Name of the address among what is sealed; no property of a node has it. */
const address = 'uri';

/**
 * The columns of a node: of its address only scheme, host and port stand in the clear. The whole is sealed with the
 * secret properties where there is more of it, for it may hold credentials.
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

/** The same, as it was given. */
export function openNode(
  box: SecretBox,
  { uid, uri, secrets }: { uid: string; uri: string; secrets: Uint8Array | null },
): NodeSecrets {
  const { [address]: sealed, ...properties } = box.open(uid, secrets);
  return { uri: typeof sealed === 'string' ? sealed : uri, properties };
}
