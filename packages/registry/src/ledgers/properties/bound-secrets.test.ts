import { describe, expect, it } from 'vitest';
import { described } from '../../../test/technologies.ts';
import { changeNode as change } from '../nodes/node-change.ts';
import { nodeForm } from '../nodes/node-properties.ts';
import { keepBoundSecrets } from './bound-secrets.ts';

const form = nodeForm('ethereum', described.get('ethereum') ?? {});
const changeNode = (held: Parameters<typeof change>[0], input: Parameters<typeof change>[1]) =>
  change(held, input, form);

function thrown(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

const kinds: Record<string, 'address' | 'secret'> = { url: 'address', root: 'address', password: 'secret' };
const keep = (held: Record<string, unknown>, next: Record<string, unknown>) =>
  keepBoundSecrets({
    held,
    next,
    kindOf: (name) => kinds[name] ?? 'plain',
    pointerOf: (name) => `/${name}`,
  });
const held = { url: 'https://a', root: 'R', password: 'hunter2', colour: 'red' };

describe('a secret without a value', () => {
  it('is kept while no part of the address changes, whatever else does', () => {
    const next = { url: 'https://a', root: 'R', password: null, colour: 'blue', size: 1 };
    expect(keep(held, next)).toEqual({ ...next, password: 'hunter2' });
    expect(keep(held, { ...next, password: undefined })).toMatchObject({ password: 'hunter2' });
  });

  it('is to be given again when a part of the address is another one, comes or goes', () => {
    const { root: _root, ...rootless } = held;
    for (const [before, next] of [
      [held, { ...held, password: null, url: 'https://b' }],
      [held, { ...held, password: null, root: ['R'] }],
      [held, { url: 'https://a', password: null }],
      [held, { password: null }],
      [rootless, { ...held, password: undefined }],
    ] as const) {
      const error = thrown(() => keep(before, next));
      expect(error).toMatchObject({ problem: 'invalid-request', errors: [{ pointer: '/password' }] });
      expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
    }
  });

  it('changes with the address where it is given, and may be taken away', () => {
    const moved = { ...held, url: 'https://b', password: 'new' };
    expect(keep(held, moved)).toEqual(moved);
    expect(keep(held, { url: 'https://b' })).toEqual({ url: 'https://b' });
  });
});

describe('a node', () => {
  const property = (name: string, value: unknown = null) => ({ type: { name }, value });
  const plain = { tls_server_name: 'peer' };
  const node = { uri: 'https://me:word@a.example/key', plain, properties: { authorization: 'hunter2' } };
  const whole = 'https://a.example/…';

  it('put back as it was answered stays as it is', () => {
    const same = { uri: node.uri, plain, secrets: node.properties, moved: false };
    expect(changeNode(node, {})).toEqual(same);
    const properties = [property('tls_server_name', 'peer'), property('authorization')];
    expect(changeNode(node, { uri: whole, options: { uri: whole }, properties })).toEqual(same);
  });

  it('does not send what is not shown of it under another trust', () => {
    const properties = [property('tls_server_name', 'other')];
    for (const [input, pointer] of [
      [{ properties }, '/options/uri'],
      [{ uri: whole, properties: [] }, '/uri'],
      [{ options: { uri: whole }, properties }, '/options/uri'],
    ] as const) {
      expect(thrown(() => changeNode(node, input))).toMatchObject({ errors: [{ pointer }] });
    }
    expect(changeNode(node, { uri: node.uri, properties })).toMatchObject({ moved: false, secrets: {} });
  });

  it('does not send its secrets elsewhere, also where the change names none', () => {
    const options = { uri: 'https://b.example' };
    expect(thrown(() => changeNode(node, { options }))).toMatchObject({
      errors: [{ pointer: '/properties' }],
    });
    const kept = { options, properties: [property('tls_server_name', 'peer'), property('authorization')] };
    expect(thrown(() => changeNode(node, kept))).toMatchObject({
      errors: [{ pointer: '/properties/1/value' }],
    });
    const again = { options, properties: [property('authorization', 'mine')] };
    expect(changeNode(node, again)).toEqual({
      ...{ uri: options.uri, plain: {}, secrets: { authorization: 'mine' }, moved: true },
    });
  });

  it('takes no property of the name of its address', () => {
    const properties = [property('uri', 'x'), property('hidden part of uri', 'y')];
    expect(thrown(() => changeNode(node, { uri: node.uri, properties }))).toMatchObject({
      errors: [{ pointer: '/properties/0/value' }, { pointer: '/properties/1/value' }],
    });
  });
});
