import type { LedgerProperties } from '../../types.ts';
import { keepBoundSecrets } from '../properties/bound-secrets.ts';
import { namedProperties } from '../properties/named-properties.ts';
import type { PropertyForm, ReadProperties } from '../properties/property-form.ts';
import type { NodeUpdate } from '../types.ts';
import type { NodeSecrets } from './node-secrets.ts';
import { checkNodeUri, isWhole, visibleUri } from './node-uri.ts';

/** A node as stored, with its sealed parts opened. */
export interface HeldNode extends NodeSecrets {
  plain: LedgerProperties;
}

/** A node's address and properties after a change. */
export interface ChangedNode extends ReadProperties {
  uri: string;
  /** Whether the address changed. */
  moved: boolean;
}

/** Key for the part of an address that responses hide. No property has this name. */
const hiddenPart = 'hidden part of uri';

/**
 * Applies a change to a node's address and properties. The address is kept if the change omits it or contains it as
 * responses show it. The hidden part of an address is treated like any other secret.
 *
 * @throws Problem `invalid-request`
 */
export function changeNode(
  held: HeldNode,
  { uri: given, properties }: NodeUpdate,
  form: Pick<PropertyForm, 'kindOf' | 'read'>,
): ChangedNode {
  const shown = visibleUri(held.uri);
  const stays = given === undefined || given === shown;
  const uri = stays ? held.uri : given;
  if (uri !== held.uri) checkNodeUri(uri, '/uri');
  const secretsOf = Object.fromEntries(Object.keys(held.properties).map((name) => [name, null]));
  const { values, pointerOf } =
    properties === undefined
      ? { values: { ...held.plain, ...secretsOf }, pointerOf: () => '/properties' }
      : namedProperties(properties);
  const bound = keepBoundSecrets({
    held: {
      uri: held.uri,
      ...(isWhole(shown) ? {} : { [hiddenPart]: held.uri }),
      ...held.plain,
      ...held.properties,
    },
    next: { ...values, uri, ...(stays ? { [hiddenPart]: null } : {}) },
    kindOf: (name) => (name === 'uri' ? 'address' : name === hiddenPart ? 'secret' : form.kindOf(name)),
    pointerOf: (name) => (name === hiddenPart ? '/uri' : pointerOf(name)),
  });
  const named = Object.entries(bound).filter(([name]) => Object.hasOwn(values, name));
  return {
    ...form.read({ values: Object.fromEntries(named), pointerOf }),
    uri,
    moved: uri !== held.uri,
  };
}
