import type { MailMessage } from './mail.ts';

/** The mail with which an identity sets its first password. */
export function initMail(to: string, link: string): MailMessage {
  return {
    to,
    subject: 'Set your password',
    text: `An account was made for you.\n\nSet a password here, and the account is yours:\n${link}\n\nThe link works once. If you did not expect this message, ignore it.\n`,
  };
}

/** The mail that invites somebody into an organization. */
export function invitationMail(invitation: {
  to: string;
  subject: string | null;
  message: string | null;
  organization: string;
  link: string;
  until: number;
}): MailMessage {
  const { to, organization, link } = invitation;
  const message = invitation.message === null ? '' : `\n${invitation.message}\n`;
  return {
    to,
    subject: invitation.subject ?? `Invitation to ${organization}`,
    text: `You are invited to ${organization}.\n${message}\nAccept or reject the invitation here, until ${new Date(invitation.until).toUTCString()}:\n${link}\n`,
  };
}
