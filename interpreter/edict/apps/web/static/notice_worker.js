// What a browser does when the server tells it of a turn and no page need be open: says so, and opens the table.
"use strict";

const TABLES = "own tables"; // where pages keep under which address somebody sits (notices.js): no message says it

async function told({ table, title, text }) {
  const address = await (await (await caches.open(TABLES)).match(`/notices/${table}`))?.text();
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const seen = pages.some((one) => new URL(one.url).pathname === address && one.visibilityState === "visible");
  if (address && !seen) await registration.showNotification(title, { body: text, tag: table, data: address });
}
async function opened(address) {
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = pages.find((one) => new URL(one.url).pathname === address);
  await (open ? open.focus() : clients.openWindow(address));
}
self.addEventListener("push", (event) => event.waitUntil(told(event.data.json())));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(opened(event.notification.data));
});
