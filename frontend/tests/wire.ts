/** What a page sends, as the console would get it. Import it in `vi.hoisted`: it must be set before the client is made. */
export const sent: { method: string; path: string; body: unknown }[] = [];
export const answers = new Map<string, { status: number; body: unknown }>();
globalThis.fetch = async (input) => {
  const request = input as Request;
  const path = request.url.slice(request.url.indexOf("/api/v1") + 7);
  const text = await request.text();
  sent.push({ method: request.method, path, body: text ? JSON.parse(text) : null });
  const answer = answers.get(`${request.method} ${path}`) ?? { status: 202, body: { id: 8, plan_id: 8 } };
  return new Response(JSON.stringify(answer.body), { status: answer.status });
};
