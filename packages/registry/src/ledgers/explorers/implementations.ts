import { invalidRequest } from '@ledger-ops/base';
import { z } from 'zod';
import type { ImplementationInput, ImplementationView } from '../types.ts';

/** One implementation as it is stored. */
export interface Implementation {
  type: string;
  properties: Record<string, string>;
}

const typeNames = ['cloud-explorer', 'external-explorer'];
/** Numbers are places here: names are only ever added, at the end. */
const propertyNames = ['plugin', 'transaction_url', 'address_url', 'block_url'];
/** The placeholder in a link template. */
const placeholders: Readonly<Record<string, string>> = {
  transaction_url: '{locator}',
  address_url: '{address}',
  block_url: '{block}',
};
const maxImplementations = 16;

const stored = z.array(z.object({ type: z.string(), properties: z.record(z.string(), z.string()) }));

/** Checks implementations of an explorer. @throws Problem `invalid-request` */
export function readImplementations(given: readonly ImplementationInput[]): Implementation[] {
  const refuse = (pointer: string, detail: string) => invalidRequest([{ pointer, detail }]);
  if (given.length > maxImplementations) {
    throw refuse('/implementations', `an explorer has at most ${maxImplementations} implementations`);
  }
  return given.map(({ type, properties }, index) => {
    const pointer = `/implementations/${index}`;
    if (!typeNames.includes(type.name)) {
      throw refuse(`${pointer}/type/name`, `must be one of ${typeNames.join(', ')}`);
    }
    const read: Record<string, string> = {};
    for (const [place, { type: its, value }] of (properties ?? []).entries()) {
      const at = `${pointer}/properties/${place}`;
      if (!propertyNames.includes(its.name) || Object.hasOwn(read, its.name)) {
        const known = `must be one of ${propertyNames.join(', ')}, each once`;
        throw refuse(`${at}/type/name`, known);
      }
      if (typeof value !== 'string' || !/^\P{Cc}{1,2048}$/u.test(value)) {
        throw refuse(`${at}/value`, 'must be a text of 1 to 2048 characters without control characters');
      }
      const placeholder = placeholders[its.name];
      if (placeholder !== undefined) checkTemplate(value, placeholder, `${at}/value`);
      read[its.name] = value;
    }
    return { type: type.name, properties: read };
  });
}

function checkTemplate(template: string, placeholder: string, pointer: string): void {
  const url = template.split(placeholder).join('x');
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const web =
    parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === '';
  // Not in the host: what is shown must not choose where people are led.
  const placed = /^https?:\/\/[^/?#{}]+[/?#]/i.test(template) && template.split(placeholder).length === 2;
  if (web && placed && !/[{}\s\\]/.test(template.replace(placeholder, ''))) return;
  const detail = `must be an http(s) URL without credentials that has ${placeholder} once, behind the host`;
  throw invalidRequest([{ pointer, detail }]);
}

/** Stored implementations. */
export function parseImplementations(text: string): Implementation[] {
  return stored.parse(JSON.parse(text));
}

/** Implementations as a record shows them. */
export function implementationViews(
  explorerNumber: number,
  implementations: readonly Implementation[],
): ImplementationView[] {
  return implementations.map(({ type, properties }, index) => {
    const id = explorerNumber * 16 + index + 1;
    return {
      id,
      properties: propertyNames.flatMap((name, place) => {
        const value = properties[name];
        if (value === undefined) return [];
        return [{ id: id * 16 + place + 1, type: { id: place + 1, name }, value }];
      }),
      type: { id: typeNames.indexOf(type) + 1, name: type },
    };
  });
}

/** The link to a transaction: the first template there is, with the locator in its place; null without one. */
export function explorerLink(implementations: readonly Implementation[], locator: string): string | null {
  for (const { properties } of implementations) {
    const template = properties.transaction_url;
    if (template !== undefined) return template.split('{locator}').join(encodeURIComponent(locator));
  }
  return null;
}
