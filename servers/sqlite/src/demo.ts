/** The text of the prompt `mcp-demo`: a walk through tools, resources and prompts with made-up data about a topic. */
export function demoOf(topic: string, isWritable: boolean): string {
  const data = isWritable
    ? `2. Design two or three tables for it. Create them with create_table, and add 10 to 15 varied rows to each with write_query. Tell me that you are setting up the data; do not ask me for any.`
    : `2. This server only reads, so use the tables that list_tables and describe_table show. If they do not fit the topic, tell me to start the server with --write, and stop.`;
  return `Show me what the Model Context Protocol can do, with this SQLite server and the topic ${JSON.stringify(topic)}. I have just chosen the prompt mcp-demo.

Tell me first, in a few sentences, what happens: prompts such as this one start a conversation, tools work with the database, and the resource memo://insights collects what we find.

1. Tell a short story about a problem in this area that data can solve. I am its main character, there is a deadline, and a funny reason why nobody has prepared the data.
${data}
3. Summarize the data, offer me a few questions about it to choose from, and wait for my choice.
4. Answer my choice with read_query, say what the result means, and store each finding with append_insight. Then offer one more round of questions, and no more than that.
5. Draw a dashboard of the results: tables and charts that fit the problem.
6. Close the story with a solution based on the findings. Show me the memo from memo://insights, and tell me how I can attach it to a conversation.

Stay in the story, keep everything readable, and wait for me where it says so.`;
}
