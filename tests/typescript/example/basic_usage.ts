import { query } from '@anthropic-ai/claude-agent-sdk';

for await (const message of query({ prompt: "Hello" })) {
  switch (message.type) {
    case 'system':
      if (message.subtype === 'init') {
        console.log('Session:', message.session_id);
      }
      break;
    case 'assistant':
      console.log('Response:', message.message.content);
      break;
    case 'user':
      console.log('User/Tool result');
      break;
    case 'result':
      console.log('Cost:', message.total_cost_usd);
      break;
  }
}
