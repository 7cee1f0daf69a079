import { expect, test } from 'vitest';
import { mailHtml } from './mail-html.ts';
import { invitationMail } from './mails.ts';

const invitation = (message: string) =>
  mailHtml(
    invitationMail({
      ...{ to: 'ada@example.com', subject: null, message, inviter: 'bob@example.com' },
      ...{ organization: { organizationId: 'mill', name: '<b>Mill</b>' }, baseUrl: 'https://ops.example' },
      answerLink: 'https://ops.example/console/#/invitation?invitationToken=a&b',
      ...{ initLink: undefined, until: Date.UTC(2026, 10, 20) },
    }),
  );

test("the service's link is a button, with its URL below it", () => {
  const html = invitation('Welcome');
  const url = 'https://ops.example/console/#/invitation?invitationToken=a&amp;b';
  expect(html).toContain(`<a href="${url}"`);
  expect(html).toContain(`>${url}</p>`);
  expect(html.match(/<a /g)).toHaveLength(1);
});

test('quotes the inviter’s message, and shows its URLs and markup as plain text', () => {
  const html = invitation('https://evil.example/\n\n<img src=x>');
  expect(html).toMatch(/<blockquote [^>]*>https:\/\/evil\.example\/\n\n&lt;img src=x&gt;<\/blockquote>/);
  expect(html).not.toContain('href="https://evil.example');
  expect(html).not.toContain('<img');
  expect(html).not.toContain('<b>');
});
