import type { LedgerProperties } from '../../types.ts';
import { keepBoundSecrets } from '../properties/bound-secrets.ts';
import type { PropertyForm, ReadProperties } from '../properties/property-form.ts';
import { namedProperties } from '../properties/property-list.ts';
import type { NodeUpdate } from '../types.ts';
import type { NodeSecrets } from './node-secrets.ts';
import { checkNodeUri, isWhole, visibleUri } from './node-uri.ts';

/** A node with everything that is kept of it. */
export interface HeldNode extends NodeSecrets {
  plain: LedgerProperties;
}

/** A node's address and properties after a change. */
export interface ChangedNode extends ReadProperties {
  uri: string;
  /** The address is another one. */
  moved: boolean;
}

/** Names no property: stands for the part of an address that is not shown. */
const hiddenPart = 'hidden part of uri';

/**
 * Applies a change to a node's address and properties. An address that is not given, or as it was answered, stays;
 * what of it is not shown is a secret like any other.
 *
 * @throws Problem `invalid-request`
 */
export function changeNode(
  held: HeldNode,
  { options, uri: older, properties }: NodeUpdate,
  form: Pick<PropertyForm, 'kindOf' | 'read'>,
): ChangedNode {
  const pointer =
    options?.uri === undefined && older !== undefined && older !== null ? '/uri' : '/options/uri';
  const given = options?.uri ?? older ?? undefined;
  const shown = visibleUri(held.uri);
  const stays = given === undefined || given === shown;
  const uri = stays ? held.uri : given;
  if (uri !== held.uri) checkNodeUri(uri, pointer);
  const secretsOf = Object.fromEntries(Object.keys(held.properties).map((name) => [name, null]));
  const { values, pointerOf } = properties
    ? namedProperties(properties)
    : { values: { ...held.plain, ...secretsOf }, pointerOf: () => '/properties' };
  const bound = keepBoundSecrets({
    held: {
      uri: held.uri,
      ...(isWhole(shown) ? {} : { [hiddenPart]: held.uri }),
      ...held.plain,
      ...held.properties,
    },
    next: { ...values, uri, ...(stays ? { [hiddenPart]: null } : {}) },
    kindOf: (name) => (name === 'uri' ? 'address' : name === hiddenPart ? 'secret' : form.kindOf(name)),
    pointerOf: (name) => (name === hiddenPart ? pointer : pointerOf(name)),
  });
  const named = Object.entries(bound).filter(([name]) => Object.hasOwn(values, name));
  return {
    ...form.read({ values: Object.fromEntries(named), pointerOf }),
    uri,
    moved: uri !== held.uri,
  };
}
