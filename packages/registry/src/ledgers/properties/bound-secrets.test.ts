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

describe('secrets without a value', () => {
  it('if the address does not change, a secret that is sent without a value is kept', () => {
    const next = { url: 'https://a', root: 'R', password: null, colour: 'blue', size: 1 };
    expect(keep(held, next)).toEqual({ ...next, password: 'hunter2' });
    expect(keep(held, { ...next, password: undefined })).toMatchObject({ password: 'hunter2' });
  });

  it('a secret is required again if a part of the address changes, is added or is removed', () => {
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

  it('a secret can be replaced or removed together with the address', () => {
    const moved = { ...held, url: 'https://b', password: 'new' };
    expect(keep(held, moved)).toEqual(moved);
    expect(keep(held, { url: 'https://b' })).toEqual({ url: 'https://b' });
  });
});

describe('secrets of a node', () => {
  const plain = { tls_server_name: 'peer' };
  const node = { uri: 'https://me:word@a.example/key', plain, properties: { authorization: 'hunter2' } };
  const whole = 'https://a.example/…';

  it('updating a node with the members that the service returned does not change it', () => {
    const same = { uri: node.uri, plain, secrets: node.properties, moved: false };
    expect(changeNode(node, {})).toEqual(same);
    const properties = { tls_server_name: 'peer', authorization: null };
    expect(changeNode(node, { uri: whole, properties })).toEqual(same);
  });

  it("requires a node's complete URI if a TLS setting changes", () => {
    const properties = { tls_server_name: 'other' };
    for (const input of [{ properties }, { uri: whole, properties: {} }, { uri: whole, properties }]) {
      expect(thrown(() => changeNode(node, input))).toMatchObject({ errors: [{ pointer: '/uri' }] });
    }
    expect(changeNode(node, { uri: node.uri, properties })).toMatchObject({ moved: false, secrets: {} });
  });

  it("does not send a node's secrets to a new address, even if the change does not name them", () => {
    const uri = 'https://b.example';
    expect(thrown(() => changeNode(node, { uri }))).toMatchObject({
      errors: [{ pointer: '/properties' }],
    });
    const kept = { uri, properties: { tls_server_name: 'peer', authorization: null } };
    expect(thrown(() => changeNode(node, kept))).toMatchObject({
      errors: [{ pointer: '/properties/authorization' }],
    });
    const again = { uri, properties: { authorization: 'mine' } };
    expect(changeNode(node, again)).toEqual({
      uri,
      plain: {},
      secrets: { authorization: 'mine' },
      moved: true,
    });
  });

  it('rejects node properties whose names are reserved for the node’s address', () => {
    const properties = { uri: 'x', 'hidden part of uri': 'y' };
    expect(thrown(() => changeNode(node, { uri: node.uri, properties }))).toMatchObject({
      errors: [{ pointer: '/properties/uri' }, { pointer: '/properties/hidden part of uri' }],
    });
  });
});
