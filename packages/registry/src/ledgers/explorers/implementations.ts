import { invalidRequest } from '@ledger-ops/base';
import { z } from 'zod';
import { namedProperties } from '../properties/named-properties.ts';
import type { ExplorerImplementation, ImplementationInput } from '../types.ts';

/** Types of implementations. Deprecated records use their position as id, so only append. */
export const implementationTypes = ['cloud-explorer', 'external-explorer'] as const;
/** Properties of implementations. Deprecated records use their position as id, so only append. */
export const implementationProperties = ['plugin', 'transaction_url', 'address_url', 'block_url'] as const;
/** The placeholder in a link template. */
const placeholders: Readonly<Record<string, string>> = {
  transaction_url: '{locator}',
  address_url: '{address}',
  block_url: '{block}',
};
const maxImplementations = 16;

const stored = z.array(z.object({ type: z.string(), properties: z.record(z.string(), z.string()) }));

/** Checks implementations of an explorer. @throws Problem `invalid-request` */
export function readImplementations(given: readonly ImplementationInput[]): ExplorerImplementation[] {
  const refuse = (pointer: string, detail: string) => invalidRequest([{ pointer, detail }]);
  if (given.length > maxImplementations) {
    throw refuse('/implementations', `an explorer can have at most ${maxImplementations} implementations`);
  }
  return given.map(({ type, properties }, index) => {
    const pointer = `/implementations/${index}`;
    if (!isOneOf(implementationTypes, type)) {
      throw refuse(`${pointer}/type`, `must be one of ${implementationTypes.join(', ')}`);
    }
    const { values, pointerOf } = namedProperties(properties, `${pointer}/properties`);
    const read: Record<string, string> = {};
    for (const [name, value] of Object.entries(values)) {
      if (!isOneOf(implementationProperties, name)) {
        throw refuse(pointerOf(name), `must be one of ${implementationProperties.join(', ')}, each once`);
      }
      if (typeof value !== 'string' || !/^\P{Cc}{1,2048}$/u.test(value)) {
        const detail = 'must be a string of 1 to 2048 characters without control characters';
        throw refuse(pointerOf(name), detail);
      }
      const placeholder = placeholders[name];
      if (placeholder !== undefined) checkTemplate(value, placeholder, pointerOf(name));
      read[name] = value;
    }
    return { type, properties: read };
  });
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

function checkTemplate(template: string, placeholder: string, pointer: string): void {
  const url = template.split(placeholder).join('x');
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const web =
    parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === '';
  // The placeholder must not be in the host: otherwise a locator could decide which site a link
  // opens.
  const placed = /^https?:\/\/[^/?#{}]+[/?#]/i.test(template) && template.split(placeholder).length === 2;
  if (web && placed && !/[{}\s\\]/.test(template.replace(placeholder, ''))) return;
  const detail = `must be an http(s) URL without credentials that contains ${placeholder} once, after the host`;
  throw invalidRequest([{ pointer, detail }]);
}

/** Reads stored implementations. */
export function parseImplementations(text: string): ExplorerImplementation[] {
  return stored.parse(JSON.parse(text));
}

/**
 * Returns the link to a transaction: the first link template, with the locator inserted; null if there is no
 * template.
 */
export function explorerLink(
  implementations: readonly ExplorerImplementation[],
  locator: string,
): string | null {
  for (const { properties } of implementations) {
    const template = properties.transaction_url;
    if (template !== undefined) return template.split('{locator}').join(encodeURIComponent(locator));
  }
  return null;
}
