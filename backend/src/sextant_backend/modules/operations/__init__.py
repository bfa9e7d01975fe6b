"""Operations: what carries an approved plan out, host by host, step by step."""
